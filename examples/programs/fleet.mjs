// Many threads at once: sorts tickets, each in a thread of its own: node examples/programs/fleet.mjs 300
import { createAgent, createLimiter } from 'oxbow';
import { z } from 'zod';

const tickets = Array.from({ length: Number(process.argv[2] ?? 300) }, (_, index) => ({
  id: index + 1,
  text: `Ticket ${index + 1}: ${['the app crashes', 'please add a dark mode', 'how do I log in?'][index % 3]}`,
}));
const sorted = z.object({ kind: z.enum(['bug', 'wish', 'question']), title: z.string() });

// One queue for all threads. When the server asks for a pause, all of them wait.
const agent = createAgent({ builtInTools: 'none', limiter: createLimiter({ concurrency: 50 }) });
/** Ctrl-C ends all turns. */
const stop = new AbortController();
process.once('SIGINT', () => stop.abort('interrupted'));

/** @param {(typeof tickets)[number]} ticket */
async function sort({ id, text }) {
  const thread = await agent.startThread({ ephemeral: true, instructions: 'You sort the tickets of a project.' });
  try {
    const result = await thread.run(text, { outputSchema: sorted, signal: stop.signal, limits: { maxRequests: 5 } });
    const { requests, retries, usage } = result.ledger;
    return { id, requests, retries, tokens: usage.totalTokens, output: result.output, error: result.error };
  } finally {
    // A closed thread has no socket, no file and no process.
    await thread.close();
  }
}

const done = await Promise.all(tickets.map(sort));

for (const kind of sorted.shape.kind.options)
  console.log(`${kind}: ${done.filter(({ output }) => output?.kind === kind).length}`);
/** @param {'requests' | 'retries' | 'tokens'} field */
const sum = (field) => done.reduce((total, one) => total + one[field], 0);
console.log(`${sum('requests')} requests, ${sum('retries')} repeated, ${sum('tokens')} tokens`);
for (const { id, error } of done) if (error) console.error(`ticket ${id}: ${error.message}`);
process.exitCode = done.every(({ output }) => output) ? 0 : 1;
await agent.close();
