import { readFile, writeFile } from 'node:fs/promises';
import { Codex } from 'oxbow/codex-sdk';

const STATE = 'last-thread.txt';
const outputSchema = {
  type: 'object',
  properties: { passed: { type: 'boolean' }, summary: { type: 'string' } },
  required: ['passed', 'summary'],
  additionalProperties: false,
};

const codex = new Codex();
const options = /** @type {const} */ ({
  workingDirectory: process.cwd(),
  sandboxMode: 'workspace-write',
  approvalPolicy: 'never',
});
const id = await readFile(STATE, 'utf8').catch(() => null);
const thread = id ? codex.resumeThread(id, options) : codex.startThread(options);

const { events } = await thread.runStreamed(process.argv[2] ?? 'Make the tests pass.', {
  outputSchema,
  signal: AbortSignal.timeout(600_000),
});
let answer = '';
for await (const event of events) {
  if (event.type === 'item.started' && event.item.type === 'command_execution') console.log(`$ ${event.item.command}`);
  if (event.type === 'item.completed' && event.item.type === 'file_change')
    for (const { kind, path } of event.item.changes) console.log(`${kind} ${path}`);
  if (event.type === 'item.completed' && event.item.type === 'agent_message') answer = event.item.text;
  if (event.type === 'turn.failed') throw new Error(event.error.message);
}
const { passed, summary } = JSON.parse(answer);
console.log(summary);
if (thread.id) await writeFile(STATE, thread.id);
process.exitCode = passed ? 0 : 1;
