// An answer in a schema: node examples/structured.mjs
import { createAgent } from 'oxbow';

const outputSchema = {
  type: 'object',
  properties: { summary: { type: 'string' }, risks: { type: 'array', items: { type: 'string' } } },
  required: ['summary', 'risks'],
  additionalProperties: false,
};

const thread = await createAgent().startThread({ ephemeral: true });
const { finalResponse } = await thread.run('Summarise this project and its risks.', { outputSchema });
const { summary, risks } = JSON.parse(finalResponse);
console.log(summary);
for (const risk of risks) console.log(`- ${risk}`);
await thread.close();
