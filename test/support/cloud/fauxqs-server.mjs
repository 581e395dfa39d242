/** SQS in a process of its own: its clock can be moved like everybody else's, and it may only be imported as an ES module. */
import { buildApp } from 'fauxqs';

const app = buildApp({ logger: false });
process.send({ listening: await app.listen({ port: 0, host: '127.0.0.1' }) });
