import { createInterface } from 'node:readline/promises';
import { createAgent, defineTool } from 'oxbow';
import { z } from 'zod';

const stock = new Map([['chair', 4]]);
const lookUp = defineTool({
  name: 'stock',
  description: 'Returns how many pieces of an article are in stock.',
  parameters: z.object({ article: z.string() }),
  mutating: false,
  run: ({ article }) => `${stock.get(article) ?? 0}`,
});
const order = defineTool({
  name: 'order',
  description: 'Orders pieces of an article.',
  parameters: z.object({ article: z.string(), count: z.int().min(1) }),
  needsApproval: true,
  run: ({ article, count }) => `ordered ${count} of ${article}`,
});

/** @param {string} text */
async function question(text) {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return terminal.question(`${text} [y, or why not] `).finally(() => terminal.close());
}

const agent = createAgent({ tools: [lookUp, order], builtInTools: 'none' });
const thread = await agent.startThread({
  instructions: 'You run the shop. Answer in one sentence.',
  async ask({ shown }) {
    const answer = await question(shown);
    return answer === 'y' ? 'approved' : { type: 'decline', message: answer };
  },
});

/** @param {string} prompt */
async function ask(prompt) {
  const { events, result } = await thread.runStreamed(prompt, { limits: { maxCost: 0.5 } });
  for await (const event of events) if (event.type === 'text.delta') process.stdout.write(event.delta);
  const { status, error, ledger } = await result;
  if (status !== 'completed') throw new Error(error?.message ?? status);
  console.log(`\n$${ledger.cost?.toFixed(4)}`);
}

await ask('Order chairs, so that there are six.');
await ask('How many are there now?');
await agent.close();
