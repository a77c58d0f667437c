import { createInterface } from 'node:readline/promises';
import { createAgent, defineTool } from 'oxbow';
import { z } from 'zod';

const orders = new Map([['1001', { article: 'chair', cents: 4900 }]]);
const agent = createAgent({
  settings: { model: 'gpt-5.2' },
  builtInTools: 'none',
  tools: [
    defineTool({
      name: 'show_order',
      description: 'Returns an order.',
      parameters: z.object({ number: z.string() }),
      mutating: false,
      run: ({ number }) => JSON.stringify(orders.get(number) ?? 'There is no such order.'),
    }),
    defineTool({
      name: 'refund',
      description: 'Refunds an order.',
      parameters: z.object({ number: z.string(), cents: z.int().positive() }),
      needsApproval: ({ cents }) => cents > 1000,
      run: ({ number, cents }) => `refunded ${cents} cents of ${number}`,
    }),
  ],
});

/** @param {string} text */
async function question(text) {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return terminal.question(`${text} [y, or why not] `).finally(() => terminal.close());
}

const thread = await agent.startThread({
  ephemeral: true,
  instructions: 'You answer customers of a shop.',
  async ask({ shown }) {
    const answer = await question(shown);
    return answer === 'y' ? 'approved' : { type: 'decline', message: answer };
  },
});
const { events, result } = await thread.runStreamed(process.argv[2] ?? 'Order 1001 broke. Money back, please.', {
  outputSchema: z.object({ reply: z.string(), refunded: z.int() }),
  limits: { maxRequests: 10, timeoutMs: 120_000 },
});
for await (const event of events)
  if (event.type === 'item.started' && event.item.type === 'tool_call')
    console.log(`${event.item.name} ${event.item.arguments}`);
const { status, output, error, usage } = await result;
if (status !== 'completed') throw new Error(error?.message ?? status);
console.log(output.reply, `(${output.refunded} cents, ${usage.totalTokens} tokens)`);
await agent.close();
