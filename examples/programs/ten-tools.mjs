// The support desk of a shop, with ten tools and no shell: node examples/programs/ten-tools.mjs "refund order 1001"
import { createInterface } from 'node:readline/promises';
import { createAgent, defineTool } from 'oxbow';
import { z } from 'zod';

// The shop. A real one is behind a database and an API.
const customers = [{ id: 'c1', name: 'Ada', mail: 'ada@example.org' }];
const orders = [{ number: '1001', customer: 'c1', article: 'chair', cents: 4900, state: 'delivered', parcel: 'p7' }];
const articles = [{ name: 'chair', cents: 4900, stock: 4 }];
const pages = [{ title: 'Returns', text: 'Goods may be returned within 30 days.' }];
const rates = { EUR: 1, USD: 1.1 };

/** @param {string} number */
function orderOf(number) {
  const one = orders.find((each) => each.number === number);
  // The model reads this sentence, and the turn goes on.
  if (!one) throw new Error(`There is no order ${number}.`);
  return one;
}
const order = z.object({ number: z.string().describe('number of the order') });

// Tools that only read run at the same time, without a question.
const reading = [
  defineTool({
    name: 'find_customer',
    description: 'Finds customers by a part of their name or address.',
    parameters: z.object({ text: z.string() }),
    mutating: false,
    run: ({ text }) => JSON.stringify(customers.filter(({ name, mail }) => `${name} ${mail}`.includes(text))),
  }),
  defineTool({
    name: 'list_orders',
    description: 'Lists the orders of a customer.',
    parameters: z.object({ customer: z.string() }),
    mutating: false,
    run: ({ customer }) => JSON.stringify(orders.filter((one) => one.customer === customer)),
  }),
  defineTool({
    name: 'show_order',
    description: 'Returns an order.',
    parameters: order,
    mutating: false,
    run: ({ number }) => JSON.stringify(orderOf(number)),
  }),
  defineTool({
    name: 'track_parcel',
    description: 'Returns where the parcel of an order is.',
    parameters: order,
    mutating: false,
    timeoutMs: 10_000,
    run: ({ number }) => `${orderOf(number).parcel}: ${orderOf(number).state}`,
  }),
  defineTool({
    name: 'find_article',
    description: 'Finds an article by its name, with its price and stock.',
    parameters: z.object({ name: z.string() }),
    mutating: false,
    run: ({ name }) => JSON.stringify(articles.filter((article) => article.name === name)),
  }),
  defineTool({
    name: 'search_help',
    description: 'Searches the pages for customers.',
    parameters: z.object({ text: z.string() }),
    mutating: false,
    run: ({ text }) => JSON.stringify(pages.filter((page) => `${page.title} ${page.text}`.includes(text))),
  }),
  defineTool({
    name: 'convert',
    description: 'Converts an amount of euro cents.',
    parameters: z.object({ cents: z.int(), to: z.enum(['EUR', 'USD']) }),
    mutating: false,
    run: ({ cents, to }) => `${Math.round(cents * rates[to])} ${to} cents`,
  }),
];

// Tools that change something run one after the other. Some of them ask first.
const changing = [
  defineTool({
    name: 'add_note',
    description: 'Adds a note to an order, for colleagues.',
    parameters: order.extend({ note: z.string().max(500) }),
    run: ({ number, note }) => `noted on ${orderOf(number).number}: ${note}`,
  }),
  defineTool({
    name: 'cancel_order',
    description: 'Cancels an order that was not sent yet.',
    parameters: order,
    needsApproval: true,
    run: ({ number }) => Object.assign(orderOf(number), { state: 'cancelled' }).state,
  }),
  defineTool({
    name: 'refund',
    description: 'Refunds a part of an order, or all of it.',
    parameters: order.extend({ cents: z.int().min(1) }),
    needsApproval: ({ number, cents }) => cents > 1000 && `It refunds ${cents} cents of order ${number}.`,
    // The key is the same if the call is ever repeated, so that the bank pays once.
    run: ({ number, cents }, { idempotencyKey }) => `refunded ${cents} cents of ${number} (${idempotencyKey})`,
  }),
];

const agent = createAgent({ tools: [...reading, ...changing], builtInTools: 'none' });
const thread = await agent.startThread({
  instructions: 'You help the customers of a shop. Look things up before you answer.',
  async ask({ reason, shown }) {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await terminal.question(`${reason}\n  ${shown}\nAllow? [y, or why not] `);
    terminal.close();
    return answer === 'y' ? 'approved' : { type: 'decline', message: answer };
  },
  onEvent(event) {
    if (event.type !== 'item.completed' || event.item.type !== 'tool_call') return;
    console.log(`${event.item.name} ${event.item.arguments} -> ${event.item.output}`);
  },
});
const { finalResponse } = await thread.run(process.argv[2] ?? 'Ada wants her money back for order 1001.');
console.log(finalResponse);
await agent.close();
