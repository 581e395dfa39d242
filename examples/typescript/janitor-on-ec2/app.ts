import { App } from 'aws-cdk-lib';
import { JanitorOnEc2 } from './janitor-on-ec2';

// a first deployment reports for a few days what it would delete; then take `-c armed=true`
const app = new App();
new JanitorOnEc2(app, 'JanitorOnEc2', { dryRun: app.node.tryGetContext('armed') !== 'true' });
