import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { call, customCall, reply, type Script, say } from '../../../src/testing/index.ts';
import { expectScreen } from '../../harness/expect-screen.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import { KEYS, type StartTerminalOptions, startTerminal, type TestTerminal } from '../../harness/start-terminal.ts';

/** The time in which a question takes no key is over after this time. */
const READ_MS = 600;
const QUESTION = 'Run this with';

const asks = (...commands: readonly string[]): Script => [
  reply(...commands.map((cmd, index) => call('exec_command', { cmd }, { callId: `c${index}` }))),
  reply(say('That was it.')),
];

interface Asked extends Scene {
  readonly terminal: TestTerminal;
}

/** Starts a turn that asks, and waits until the question takes keys. */
async function asked(
  script: Script,
  options: Partial<StartTerminalOptions> = {},
  files: Record<string, string> = {},
): Promise<Asked> {
  const s = await scene(script, files);
  const config = { approval_policy: 'untrusted' };
  const terminal = startTerminal(['please', 'go', 'on'], { ...s, config, ...options });
  await terminal.shows('Esc back to typing');
  await delay(READ_MS);
  return { ...s, terminal };
}

async function leave(terminal: TestTerminal): Promise<void> {
  await terminal.hides('working');
  terminal.type(KEYS.ctrl('d'));
  expect(await terminal.wait()).toMatchObject({ code: 0 });
}

const draftOf = async (terminal: TestTerminal) =>
  (await terminal.screen())
    .findLast((row) => row.startsWith('›'))
    ?.slice(1)
    .trim();

describe('a question', () => {
  test('stands above the composer, and y answers it once', async () => {
    const { terminal, outputs, model, workspace } = await asked(asks('echo ran > made.txt'));
    await expectScreen(import.meta.url, 'question', workspace, terminal.screen);
    expect(existsSync(workspace.file('made.txt'))).toBe(false);
    terminal.type('y');
    await terminal.shows('approved once: $ echo ran > made.txt');
    await terminal.shows('That was it.');
    expect(workspace.read('made.txt')).toBe('ran\n');
    expect(outputs(1).size).toBe(1);
    expect(model.requests).toHaveLength(2);
    await leave(terminal);
  });

  test('is not answered by a text that is typed while it asks, which stays in the draft', async () => {
    const { terminal, workspace, model } = await asked(asks('echo ran > made.txt'));
    for (const letter of 'hello typed while it asks') terminal.type(letter);
    await terminal.shows('› hello typed while it asks');
    await terminal.shows('Tab goes to the question');
    terminal.type(KEYS.enter);
    await terminal.shows('hello typed while it asks  with the next request');
    expect(existsSync(workspace.file('made.txt'))).toBe(false);
    expect(model.requests).toHaveLength(1);
    terminal.type(KEYS.tab);
    await terminal.shows('Esc back to typing');
    terminal.type('y');
    await terminal.shows('That was it.');
    await leave(terminal);
  });

  test('takes no key of its first moments', async () => {
    // A slow machine may need longer than these moments for one of the keys, but not for all.
    for (let attempt = 1; ; attempt += 1) {
      const s = await scene(asks('echo ran > made.txt'));
      const terminal = startTerminal(['please', 'go', 'on'], { ...s, config: { approval_policy: 'untrusted' } });
      await terminal.writes(QUESTION);
      terminal.type('y');
      await terminal.shows(/^› y$|approved once/m);
      if ((await draftOf(terminal)) === 'y') {
        expect(existsSync(s.workspace.file('made.txt'))).toBe(false);
        terminal.type(KEYS.ctrl('c'));
        await terminal.shows('Interrupted.');
        return;
      }
      expect(attempt).toBeLessThan(5);
    }
  });

  test('leaves a paste to the draft', async () => {
    const { terminal, workspace } = await asked(asks('echo ran > made.txt'));
    terminal.type(KEYS.paste('y'));
    await terminal.shows(/^› y$/m);
    expect(existsSync(workspace.file('made.txt'))).toBe(false);
  });

  test('is answered no with words for the model', async () => {
    const { terminal, outputs, workspace } = await asked(asks('echo ran > made.txt'));
    terminal.type('n');
    await terminal.shows('Enter says no');
    terminal.type('use yarn, not npm');
    await terminal.shows('no: use yarn, not npm');
    terminal.type(KEYS.enter);
    await terminal.shows('declined: $ echo ran > made.txt (use yarn, not npm)');
    await terminal.shows('That was it.');
    expect(outputs(1).get('c0')).toContain('use yarn, not npm');
    expect(existsSync(workspace.file('made.txt'))).toBe(false);
    await leave(terminal);
  });

  test('is edited in $EDITOR, and the edited command runs', async () => {
    const editor = '#!/bin/sh\ncat "$1" > seen.txt\necho "echo edited > made.txt" > "$1"\n';
    const s = await scene(asks('echo ran > made.txt'), { 'editor.sh': editor });
    const terminal = startTerminal(['please', 'go', 'on'], {
      ...s,
      config: { approval_policy: 'untrusted' },
      env: { EDITOR: `sh ${s.workspace.file('editor.sh')}` },
    });
    await terminal.shows('Esc back to typing');
    await delay(READ_MS);
    terminal.type('e');
    await terminal.shows('edited: $ echo edited > made.txt');
    // The policy knows nothing of the edited command, so it is asked about too.
    await terminal.shows('  echo edited > made.txt');
    expect(existsSync(s.workspace.file('made.txt'))).toBe(false);
    await delay(READ_MS);
    terminal.type(KEYS.tab);
    await terminal.shows('Esc back to typing');
    terminal.type('y');
    await terminal.shows('That was it.');
    expect(s.workspace.read('seen.txt')).toBe('echo ran > made.txt\n');
    expect(s.workspace.read('made.txt')).toBe('edited\n');
    expect(terminal.modes()).toContain('?2004');
    await leave(terminal);
  });

  test('shows every character of the command, and v shows all of it in the pager', async () => {
    const hidden = 'rm -rf ./build\recho harmless \u001b[2K\u001b[1A\u202etxt.exe \u200b\u00a0end';
    const { terminal, workspace, outputs } = await asked(asks(hidden));
    await expectScreen(import.meta.url, 'question-hidden', workspace, terminal.screen);
    terminal.type('v');
    await terminal.writes('?1049h');
    await expectScreen(import.meta.url, 'question-pager', workspace, terminal.screen);
    terminal.type('q');
    await terminal.shows('Esc back to typing');
    terminal.type('n\r');
    await terminal.shows('That was it.');
    expect(outputs(1).get('c0')).toMatch(/reject|declin|denied/i);
    await leave(terminal);
  });

  test('that is longer than the screen takes a yes only after its end was seen', async () => {
    const long = `${Array.from({ length: 60 }, (_, n) => `echo line ${n}`).join('\n')}\necho ran > made.txt`;
    const { terminal, workspace } = await asked(asks(long));
    terminal.type('y');
    await terminal.shows('read it to its end first');
    expect(existsSync(workspace.file('made.txt'))).toBe(false);
    terminal.type('v');
    await terminal.writes('?1049h');
    terminal.type('G');
    await terminal.shows('echo ran > made.txt');
    terminal.type('q');
    await terminal.shows('y once');
    terminal.type('y');
    await terminal.shows('That was it.');
    expect(workspace.read('made.txt')).toBe('ran\n');
    await leave(terminal);
  });

  test('has wider scopes, by arrows and Enter only', async () => {
    const twice: Script = [
      reply(call('exec_command', { cmd: 'echo ran >> made.txt' }, { callId: 'a' })),
      reply(call('exec_command', { cmd: 'echo ran >> made.txt' }, { callId: 'b' })),
      reply(say('That was it.')),
    ];
    const { terminal, workspace } = await asked(twice);
    terminal.type(KEYS.enter);
    await terminal.shows('Enter decides nothing yet');
    for (const _ of ['once', 'this terminal', 'this thread']) terminal.type(KEYS.down);
    await expectScreen(import.meta.url, 'question-scope', workspace, terminal.screen);
    terminal.type(KEYS.enter);
    await terminal.shows('approved for this thread: $ echo ran >> made.txt');
    await terminal.shows('That was it.');
    expect(workspace.read('made.txt')).toBe('ran\nran\n');
    await leave(terminal);
  });

  test('waits for the one before it', async () => {
    const { terminal, workspace } = await asked(asks('echo one > one.txt', 'echo two > two.txt'));
    await terminal.shows('1 of 2: Run this with');
    expect((await terminal.screen()).join('\n')).not.toContain('echo two');
    terminal.type('y');
    await terminal.shows('echo two');
    await terminal.hides('1 of 2');
    // The last key did not answer this one.
    await delay(READ_MS);
    terminal.type(KEYS.tab);
    await terminal.shows('Esc back to typing');
    terminal.type('n\r');
    await terminal.shows('declined: $ echo two');
    await terminal.shows('That was it.');
    expect(existsSync(workspace.file('one.txt'))).toBe(true);
    expect(existsSync(workspace.file('two.txt'))).toBe(false);
    await leave(terminal);
  });

  test('about a patch shows its diff', async () => {
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+three\n*** End Patch\n';
    const { terminal, workspace } = await asked(
      [reply(customCall('apply_patch', patch)), reply(say('That was it.'))],
      { columns: 200 },
      { 'a.txt': 'one\ntwo\n' },
    );
    await expectScreen(import.meta.url, 'question-patch', workspace, terminal.screen);
    terminal.type('y');
    await terminal.shows('That was it.');
    expect(workspace.read('a.txt')).toBe('one\nthree\n');
    await leave(terminal);
  });

  test('ends with the turn that Ctrl-C interrupts', async () => {
    const { terminal, workspace } = await asked(asks('echo ran > made.txt'));
    terminal.type(KEYS.ctrl('c'));
    await terminal.shows('Interrupted.');
    await terminal.hides('Esc back to typing');
    expect(existsSync(workspace.file('made.txt'))).toBe(false);
    await leave(terminal);
  });
});
