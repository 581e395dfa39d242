import { App } from 'aws-cdk-lib';
import { StolenRunners } from './stolen-runners';

// a first deployment only says whom it would replace; then take `-c armed=true`
const app = new App();
new StolenRunners(app, 'StolenRunners', { observeOnly: app.node.tryGetContext('armed') !== 'true' });
