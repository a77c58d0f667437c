import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ThreadItem } from '../../../../src/base/event.ts';
import { call, customCall, fault, reply, say } from '../../../../src/testing/index.ts';
import { libraryScene } from '../../../harness/library-scene.ts';
import { runOxbow } from '../../../harness/run-oxbow.ts';
import { scene } from '../../../harness/scene.ts';
import { threads, turn } from './scene.ts';

const patch = customCall('apply_patch', '*** Begin Patch\n*** Add File: new.txt\n+```\n+text\n*** End Patch\n');

/** Runs a turn with a long output and a patch. */
async function longThread() {
  const s = await scene([
    reply(say('I will count.'), call('exec_command', { cmd: 'seq 1 1900' })),
    reply(patch),
    reply(say('Counted.\nAll of them.')),
  ]);
  const id = await turn(['-s', 'workspace-write', 'count to 1900'], s);
  return { s, id };
}

test('show tells the whole thread, and cuts long outputs only without --full', async () => {
  const { s, id } = await longThread();
  const { stdout, code } = await threads(['show', id], s);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /> count to 1900\n\nI will count\.\n\n\$ seq 1 1900\n {2}1\n[\s\S]*… \d+ more lines \(--full shows them\)\n[\s\S]* {2}1900\n {2}exit 0 in /,
  );
  expect(stdout).toMatch(/\nadd \S*new\.txt\n[\s\S]*\+text\n\nCounted\.\nAll of them\.\n/);
  expect(stdout).not.toContain('  950\n');
  const full = await threads(['show', id, '--full'], s);
  expect(full.stdout).not.toContain('more lines');
  for (const number of [1, 950, 1900]) expect(full.stdout).toContain(`\n  ${number}\n`);
});

test('--markdown has headings, quotes and fences that the text cannot close', async () => {
  const { s, id } = await longThread();
  const { stdout } = await threads(['show', id, '--markdown'], s);
  expect(stdout).toMatch(new RegExp(`^# Thread ${id}\\n\\n- thread: \`${id}\`\\n`));
  expect(stdout).toMatch(
    /\n## Turn 1, \d{4}-\S+\n\n> count to 1900\n\nI will count\.\n\n`\$ seq 1 1900`\n\n```\n1\n2\n/,
  );
  expect(stdout).toMatch(/\n````diff\n[\s\S]*\+```\n\+text\n````\n\nCounted\.\nAll of them\.\n$/);
});

test('--json has the items, and with --full the calls behind them', async () => {
  const { s, id } = await longThread();
  const read = async (...args: string[]) => JSON.parse((await threads(['show', id, '--json', ...args], s)).stdout);
  const brief = await read();
  expect(brief.items.map(({ item }: { item: ThreadItem }) => item.type)).toEqual([
    ...['user_message', 'agent_message', 'command', 'file_change', 'agent_message'],
  ]);
  expect(brief.items[2]).not.toHaveProperty('call');
  const full = await read('--full');
  expect(full.items[2].call.output).toContain('\n950\n');
  expect(full.items[3].call.arguments).toContain('*** Add File: new.txt');
});

test('export writes Markdown or JSON to a file or standard output, with nothing cut', async () => {
  const { s, id } = await longThread();
  const printed = await threads(['export', id], s);
  expect(printed.stdout).toContain('\n950\n');
  const written = await threads(['export', id, '-o', 'thread.md'], s);
  expect(written).toMatchObject({ code: 0, stdout: '', stderr: `Thread ${id} is written to thread.md.\n` });
  const path = s.workspace.file('thread.md');
  expect(readFileSync(path, 'utf8')).toBe(printed.stdout);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await threads(['export', id, '-o', 'thread.json'], s);
  expect(JSON.parse(s.workspace.read('thread.json'))).toMatchObject({ id, turns: [{ number: 1 }] });
  const nowhere = await threads(['export', id, '-o', 'missing/thread.md'], s);
  expect(nowhere.code).toBe(1);
  expect(nowhere.stderr).toMatch(/^oxbow: missing\/thread\.md cannot be written: .* Name another file with -o\.\n$/);
  for (const verb of ['show', 'export'])
    expect((await threads([verb, id, '--json', '--markdown'], s)).stderr).toContain('either --markdown or --json');
});

test('a suspended turn is shown as suspended, with the call that waits for an answer', async () => {
  const config = { approval_policy: 'on-request', sandbox_mode: 'read-only' };
  const asked = { cmd: 'touch made', sandbox_permissions: 'require_escalated', justification: 'Needs it.' };
  const s = await libraryScene([reply(call('exec_command', asked)), reply(say('done'))], config);
  const thread = await s.agent.startThread(s.threadOptions({ ask: () => ({ type: 'suspend' }) }));
  expect((await thread.run('go')).status).toBe('suspended');
  await thread.close();
  const { stdout } = await threads(['show', thread.id], s);
  expect(stdout).toMatch(
    /\n {2}1 {2}\S+ {2}suspended\n> go\nexec_command\n {2}.*touch made.*\n {2}suspended: it waits for an answer\n/,
  );
  expect((await threads(['show', thread.id, '--markdown'], s)).stdout).toMatch(/\n## Turn 1, \S+ \(suspended\)\n/);
  const again = await s.agent.resumeThread(thread.id, s.threadOptions());
  await again.answer(again.asks[0]?.id ?? '', 'approved');
  await again.close();
  const after = (await threads(['show', thread.id], s)).stdout;
  expect(after).not.toContain('waits for an answer');
  expect(after).toContain('\ndone\n');
});

test('a failed turn is shown with its error', async () => {
  const s = await scene([fault.status(400, { error: { message: 'no such model' } })]);
  const result = await runOxbow(['exec', '--json', 'go'], s);
  const { stdout } = await threads(['show', String(result.events[0]?.thread_id)], s);
  expect(stdout).toMatch(/ {2}failed\n> go\nerror: .*no such model/);
});
