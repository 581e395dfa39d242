import { App, Stack } from 'aws-cdk-lib';
import { RunnerStack } from './runner-stack';
import { watchOver } from './watch-over';

const app = new App();

// in a stack of its own, which can come and go without touching the runners
const { runners } = new RunnerStack(app, 'Runners');
watchOver(new Stack(app, 'WatchOverRunners'), runners);

// or in the stack of the runners
const together = new RunnerStack(app, 'RunnersWatchedOver');
watchOver(together, together.runners);
