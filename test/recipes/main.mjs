// Reads calls from standard input and makes them, so that the recipes can be tried against local services.
import { text } from 'node:stream/consumers';
import { nominate } from '../../examples/recipes/nominate.mjs';
import { recordRunner, reportAssignment } from '../../examples/recipes/record-and-report.mjs';

const recipes = { recordRunner, nominate, reportAssignment: ({ payload }) => reportAssignment(payload) };
for (const { recipe, ...call } of JSON.parse(await text(process.stdin))) await recipes[recipe](call);
