// An answer in a schema: node examples/structured.mjs
import { createAgent } from 'oxbow';

const thread = await createAgent().startThread({ ephemeral: true });
const result = await thread.run('Summarise this project and its risks.', {
  outputSchema: {
    type: 'object',
    properties: { summary: { type: 'string' }, risks: { type: 'array', items: { type: 'string' } } },
    required: ['summary', 'risks'],
    additionalProperties: false,
  },
});
if (result.status !== 'completed') throw new Error(result.error?.message ?? result.status);
console.log(result.output.summary);
for (const risk of result.output.risks) console.log(`- ${risk}`);
await thread.close();
