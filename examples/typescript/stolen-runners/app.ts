import { App } from 'aws-cdk-lib';
import { StolenRunners } from './stolen-runners';

// take `-c observe=true` for a look at who steals before anything is started
const app = new App();
new StolenRunners(app, 'StolenRunners', { observeOnly: app.node.tryGetContext('observe') === 'true' });
