import { readFile, writeFile } from 'node:fs/promises';
import { createAgent } from 'oxbow';

const STATE = 'last-thread.txt';

const agent = createAgent({ settings: { sandbox_mode: 'workspace-write', approval_policy: 'never' } });
const id = await readFile(STATE, 'utf8').catch(() => null);
const thread = id ? await agent.resumeThread(id) : await agent.startThread();

const { events, result } = await thread.runStreamed(process.argv[2] ?? 'Make the tests pass.', {
  outputSchema: {
    type: 'object',
    properties: { passed: { type: 'boolean' }, summary: { type: 'string' } },
    required: ['passed', 'summary'],
    additionalProperties: false,
  },
  limits: { timeoutMs: 600_000, maxRequests: 100 },
});
for await (const event of events) {
  if (event.type === 'item.started' && event.item.type === 'command') console.log(`$ ${event.item.argv.at(-1)}`);
  if (event.type === 'item.completed' && event.item.type === 'file_change')
    for (const { kind, path } of event.item.changes) console.log(`${kind} ${path}`);
}
const { status, output, error } = await result;
if (status !== 'completed') throw new Error(error?.message ?? status);
console.log(output.summary);
await writeFile(STATE, thread.id);
process.exitCode = output.passed ? 0 : 1;
await agent.close();
