// A bot for CI that reviews a diff: git diff main | node examples/programs/review-bot.mjs
// Its exit code is 0 if the diff may be merged, 1 if it needs a change, and 2 if there is no review.
import { text } from 'node:stream/consumers';
import { createAgent } from 'oxbow';
import { z } from 'zod';

const review = z.object({
  verdict: z.enum(['merge', 'change']),
  findings: z.array(z.object({ file: z.string(), line: z.int().optional(), text: z.string() })),
});

const diff = await text(process.stdin);
if (diff.trim() === '') {
  console.log('Nothing to review.');
  process.exit(0);
}

// The bot may look around, and nothing else: commands cannot write, and nothing is asked.
const agent = createAgent({
  builtInTools: ['shell'],
  settings: { sandbox_mode: 'read-only', approval_policy: 'never' },
});
const thread = await agent.startThread({
  onEvent(event) {
    if (event.type === 'item.started' && event.item.type === 'command') console.error(`$ ${event.item.argv.at(-1)}`);
    if (event.type === 'output.refused') console.error(`asked again: ${event.faults.join('; ')}`);
  },
});

const result = await thread.run(
  `Review this diff. Read the files around it first. Report only faults that you are sure of.\n\n${diff}`,
  {
    outputSchema: review,
    // In US dollars. The price of the model has to be known: docs/usage.md has the table.
    limits: { maxCost: Number(process.env.MAX_COST ?? 0.5), maxRequests: 30, timeoutMs: 600_000 },
  },
);
if (result.status === 'completed') {
  for (const { file, line, text } of result.output.findings) console.log(`${file}:${line ?? 1}: ${text}`);
  process.exitCode = result.output.verdict === 'merge' ? 0 : 1;
} else {
  console.error(`no review: ${result.error?.message ?? 'interrupted'}`);
  process.exitCode = 2;
}
console.error(`$${result.ledger.cost?.toFixed(4) ?? '?'}, ${result.ledger.requests} requests`);
await agent.close();
