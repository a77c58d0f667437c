// A tool of your own: node examples/own-tool.mjs "which ticket is oldest?"
import { createAgent, defineTool } from 'oxbow';

const tickets = [
  { id: 7, title: 'Crash on empty input', opened: '2026-02-01' },
  { id: 9, title: 'Typo in the help', opened: '2026-03-11' },
];

const listTickets = defineTool({
  name: 'list_tickets',
  description: 'Lists the open tickets, oldest first.',
  parameters: { type: 'object', properties: { limit: { type: 'number' } }, required: [] },
  mutating: false,
  run: ({ limit = tickets.length }) => JSON.stringify(tickets.slice(0, limit)),
});

const thread = await createAgent({ tools: [listTickets] }).startThread();
const { finalResponse } = await thread.run(process.argv[2] ?? 'Which ticket is oldest?');
console.log(finalResponse);
await thread.close();
