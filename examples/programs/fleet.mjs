// Many threads at once: sorts tickets, each in a thread of its own: node examples/programs/fleet.mjs 300
import { createAgent } from 'oxbow';
import { z } from 'zod';

/** Threads that are at work at the same time. */
const AT_ONCE = 50;

const tickets = Array.from({ length: Number(process.argv[2] ?? 300) }, (_, index) => ({
  id: index + 1,
  text: `Ticket ${index + 1}: ${['the app crashes', 'please add a dark mode', 'how do I log in?'][index % 3]}`,
}));
const sorted = z.object({ kind: z.enum(['bug', 'wish', 'question']), title: z.string() });

const agent = createAgent({ builtInTools: 'none' });
/** Ctrl-C ends the turns that run, and no other one begins. */
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

// Each worker takes the next ticket until there are none. A busy server is asked again after the time that it names.
const waiting = tickets.values();
/** @type {Awaited<ReturnType<typeof sort>>[]} */
const done = [];
async function work() {
  for (const ticket of waiting) {
    if (stop.signal.aborted) return;
    done.push(await sort(ticket));
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work));

for (const kind of sorted.shape.kind.options)
  console.log(`${kind}: ${done.filter(({ output }) => output?.kind === kind).length}`);
/** @param {'requests' | 'retries' | 'tokens'} field */
const sum = (field) => done.reduce((total, one) => total + one[field], 0);
console.log(`${sum('requests')} requests, ${sum('retries')} repeated, ${sum('tokens')} tokens`);
for (const { id, error } of done) if (error) console.error(`ticket ${id}: ${error.message}`);
process.exitCode = done.length === tickets.length && done.every(({ output }) => output) ? 0 : 1;
await agent.close();
