import { createInterface } from 'node:readline/promises';
import { createAgent, defineTool } from 'oxbow';

const tickets = new Map([[7, 'Crash on empty input']]);
const showTicket = defineTool({
  name: 'show_ticket',
  description: 'Returns a ticket.',
  parameters: { type: 'object', properties: { number: { type: 'number' } }, required: ['number'] },
  mutating: false,
  run: ({ number }) => tickets.get(number) ?? 'There is no such ticket.',
});

/** @param {string} text */
async function question(text) {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return terminal.question(`${text} [y, or why not] `).finally(() => terminal.close());
}

const agent = createAgent({ tools: [showTicket], settings: { approval_policy: 'untrusted' } });
const last = await agent.lastThread().catch(() => null);
/** @type {import('oxbow').ThreadOptions} */
const options = {
  async ask({ shown }) {
    const answer = await question(shown);
    return answer === 'y' ? 'approved' : { type: 'decline', message: answer };
  },
  onEvent(event) {
    if (event.type === 'text.delta') process.stdout.write(event.delta);
    if (event.type === 'item.started' && event.item.type === 'tool_call')
      console.log(`${event.item.name} ${event.item.arguments}`);
    if (event.type === 'item.started' && event.item.type === 'command') console.log(`$ ${event.item.argv.at(-1)}`);
  },
};
const thread = last === null ? await agent.startThread(options) : await agent.resumeThread(last, options);
const done = thread.run(process.argv[2] ?? 'Correct ticket 7.');
await thread.steer('Leave the tests alone.');
const { status, error, usage } = await done;
if (status !== 'completed') throw new Error(error?.message ?? status);
console.log(`\n${usage.totalTokens} tokens`);
await agent.close();
