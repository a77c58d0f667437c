import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { call, type RecordedRequest, reply, type Script, say, textsOf } from '../../../src/testing/index.ts';
import { expectScreen } from '../../harness/expect-screen.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import { KEYS, type StartTerminalOptions, startTerminal, type TestTerminal } from '../../harness/start-terminal.ts';
import { survivors } from '../../harness/survivors.ts';

const typed = (request: RecordedRequest | undefined) =>
  request ? textsOf(request).flatMap(({ role, text }) => (role === 'user' ? [text] : [])) : [];

/** Answers "answer 1", "answer 2", and so on. */
const counting: Script = (_, n) => reply(say(`This is answer ${n}.`));

interface Ready extends Scene {
  readonly terminal: TestTerminal;
}

/** Starts a thread with one turn. */
async function ready(
  script: Script = counting,
  files: Record<string, string> = {},
  options: Partial<StartTerminalOptions> = {},
): Promise<Ready> {
  const s = await scene(script, files);
  const terminal = startTerminal(['the', 'first', 'prompt'], { ...s, rows: 40, ...options });
  await terminal.shows('120 tokens');
  await terminal.hides('working');
  return { ...s, terminal };
}

async function leave(terminal: TestTerminal): Promise<void> {
  terminal.type(KEYS.ctrl('d'));
  expect(await terminal.wait()).toMatchObject({ code: 0 });
}

describe('threads', () => {
  test('/new begins a thread, /resume lists the one before and opens it, by its id too', async () => {
    const { terminal, model } = await ready();
    terminal.type('/new\r');
    await terminal.hides('120 tokens');
    terminal.type('the second prompt\r');
    await terminal.shows('This is answer 2.');
    await terminal.hides('working');
    expect(typed(model.requests[1])).not.toContain('the first prompt');
    terminal.type('/resume\r');
    await terminal.shows('Go on with which thread?');
    await terminal.shows(/the first prompt +(just now|\d+ minutes?)/);
    terminal.type(KEYS.enter);
    await terminal.hides('Go on with which thread?');
    terminal.type('the third prompt\r');
    await terminal.shows('This is answer 3.');
    expect(typed(model.requests[2])).toEqual(expect.arrayContaining(['the first prompt', 'the third prompt']));
    expect(typed(model.requests[2])).not.toContain('the second prompt');
    await terminal.hides('working');
    terminal.type('/status\r');
    await terminal.shows(/thread +[0-9a-f-]{36}/);
    const [, id = ''] = /thread +([0-9a-f-]{36})/.exec((await terminal.lines()).join('\n')) ?? [];
    terminal.type('/new\r');
    await terminal.hides(/\d tokens$/m);
    // Typed ahead: the prompt waits until the thread is open.
    terminal.type(`/resume ${id}\rthe fourth prompt\r`);
    await terminal.shows('This is answer 4.');
    expect(typed(model.requests[3])).toContain('the third prompt');
    await terminal.hides('working');
    terminal.type('/resume nope\r');
    await terminal.shows(/no thread/i);
    terminal.type('the fifth prompt\r');
    await terminal.shows('This is answer 5.');
    expect(typed(model.requests[4])).toContain('the fourth prompt');
    await leave(terminal);
  });

  test('/fork goes on in a copy, /rename gives it a name by which it is found', async () => {
    const { terminal, model, workspace } = await ready();
    terminal.type('/fork\r');
    await terminal.shows('This is a copy. The thread it was copied from: oxbow resume');
    terminal.type('go on in the copy\r');
    await terminal.shows('This is answer 2.');
    expect(typed(model.requests[1])).toEqual(expect.arrayContaining(['the first prompt', 'go on in the copy']));
    await terminal.hides('working');
    terminal.type('/rename my copy\r');
    await terminal.shows('The thread is called my copy now.');
    await leave(terminal);
    const again = startTerminal(['resume', 'my copy', 'and', 'on'], { workspace, model });
    await again.shows('This is answer 3.');
    expect(typed(model.requests[2])).toContain('go on in the copy');
    await leave(again);
  });

  test('/compact replaces the history', async () => {
    const { terminal, model } = await ready();
    terminal.type('/compact\r');
    await terminal.shows('The history was compacted');
    await terminal.hides('working');
    terminal.type('what now\r');
    await terminal.shows('This is answer 3.');
    expect(JSON.stringify(model.requests[2]?.body.input)).toContain('This is answer 2.');
    await leave(terminal);
  });

  test('/export writes the thread as Markdown', async () => {
    const { terminal, workspace } = await ready();
    terminal.type('/export notes.md\r');
    await terminal.shows('The thread is written to');
    const text = readFileSync(workspace.file('notes.md'), 'utf8');
    expect(text).toContain('the first prompt');
    expect(text).toContain('This is answer 1.');
    await leave(terminal);
  });
});

describe('settings', () => {
  test('/model and its effort are in the next request', async () => {
    const { terminal, model } = await ready();
    terminal.type('/model other-model high\r');
    await terminal.shows('From the next turn on: other-model, effort high.');
    terminal.type('with another model\r');
    await terminal.shows('This is answer 2.');
    expect(model.requests[1]?.body).toMatchObject({ model: 'other-model', reasoning: { effort: 'high' } });
    await leave(terminal);
  });

  test('Shift-Tab goes through the presets of approvals, and the next request carries the preset', async () => {
    const { terminal, model } = await ready();
    terminal.type(KEYS.backTab);
    await terminal.shows('From the next turn on: read only.');
    await terminal.shows('on-request, read-only');
    terminal.type(KEYS.backTab);
    await terminal.shows('untrusted, workspace-write');
    terminal.type('with care\r');
    await terminal.shows('This is answer 2.');
    const told = JSON.stringify(model.requests[1]?.body.input);
    expect(told).toContain('workspace-write');
    expect(told).toContain('untrusted');
    await leave(terminal);
  });

  test('/sandbox is for the next command, and /approvals lists the presets', async () => {
    const { terminal, model } = await ready((_, n) =>
      n === 2 ? reply(call('exec_command', { cmd: 'echo x > made.txt' })) : reply(say(`This is answer ${n}.`)),
    );
    terminal.type('/sandbox read-only\r');
    await terminal.shows('From the next turn on: read-only.');
    terminal.type('/approvals\r');
    await terminal.shows('as configured');
    terminal.type(KEYS.escape);
    await terminal.hides('as configured');
    await leave(terminal);
    expect(model.requests).toHaveLength(1);
  });
});

describe('facts', () => {
  test('/status, /usage, /mcp, /ps, /keys and /help', async () => {
    const { terminal, workspace } = await ready(counting, {}, { rows: 60, columns: 200 });
    for (const [line, sign] of [
      ['/status', 'scripted (Scripted)'],
      ['/usage', 'Usage of this thread'],
      ['/mcp', 'There are no MCP servers.'],
      ['/ps', 'No command runs in the background.'],
      ['/help', 'list the commands'],
      ['/keys', 'Shift-Tab'],
    ] as const) {
      terminal.type(`${line}\r`);
      await terminal.shows(sign);
    }
    await expectScreen(import.meta.url, 'facts', workspace, async () =>
      (await terminal.lines()).map((row) => row.replace(/\d+\/\d+\/\d+\/rollout-\S+/, 'rollout')),
    );
    await leave(terminal);
  });

  test('an unknown command has a suggestion, and a list completes', async () => {
    const { terminal } = await ready();
    terminal.type('/statsu now\r');
    await terminal.shows('There is no command /statsu. Did you mean /status?');
    terminal.type('/ren');
    await terminal.shows('name this thread');
    terminal.type('\t');
    await terminal.shows(/^› \/rename $/m);
  });

  test('/ps lists what runs in the background and /stop ends it', async () => {
    const script = [reply(call('exec_command', { cmd: 'sleep 31417', yield_time_ms: 250 })), reply(say('It runs.'))];
    const s = await scene(script);
    const terminal = startTerminal(['the', 'first', 'prompt'], { ...s, columns: 120 });
    await terminal.shows('terminals 1');
    terminal.type('/ps\r');
    await terminal.shows(/^ +\d+ +sleep 31417/m);
    terminal.type('/stop\r');
    await terminal.shows('End which one?');
    terminal.type(KEYS.enter);
    await terminal.shows(/The command \d+ was ended\./);
    expect(survivors('31417')).toEqual([]);
    await terminal.hides('terminals 1');
    await leave(terminal);
  });
});

describe('text', () => {
  test('/copy sends a block of the answer to the clipboard of the terminal', async () => {
    const { terminal } = await ready([reply(say('Look:\n\n```sh\necho copied\n```\n\nEnd.'))]);
    terminal.type('/copy\r');
    await terminal.shows('code 1 (sh)');
    terminal.type(KEYS.down);
    terminal.type(KEYS.enter);
    await terminal.shows('Copied: code 1 (sh).');
    await terminal.writes(`\u001b]52;c;${Buffer.from('echo copied\n').toString('base64')}`);
    await leave(terminal);
  });

  test('/diff shows the uncommitted changes in the pager', async () => {
    const { terminal } = await ready(counting, { 'new.txt': 'a new line\n' });
    terminal.type('/diff\r');
    await terminal.writes('?1049h');
    await terminal.shows('a new line');
    terminal.type('q');
    await terminal.writes('?1049l');
    await terminal.shows('This is answer 1.');
    await leave(terminal);
  });

  test('! runs a command of the user, which the next request tells the model', async () => {
    const { terminal, model } = await ready();
    terminal.type('!echo mine; exit 4\r');
    await terminal.shows('! echo mine; exit 4');
    await terminal.shows(/^exit 4/m);
    terminal.type('did you see it\r');
    await terminal.shows('This is answer 2.');
    expect(JSON.stringify(model.requests[1]?.body.input)).toContain('echo mine');
    await leave(terminal);
  });

  test('@ completes the name of a file', async () => {
    const { terminal, model } = await ready(counting, { 'src/deep/parser.ts': '', 'src/other.ts': '' });
    terminal.type('look at @pars');
    await terminal.shows('src/deep/parser.ts');
    terminal.type('\t');
    await terminal.shows(/^› look at src\/deep\/parser\.ts/m);
    terminal.type('now\r');
    await terminal.shows('This is answer 2.');
    expect(typed(model.requests[1]).at(-1)).toBe('look at src/deep/parser.ts now');
    await leave(terminal);
  });

  test('/init asks for AGENTS.md', async () => {
    const { terminal, model } = await ready();
    terminal.type('/init\r');
    await terminal.shows('This is answer 2.');
    expect(typed(model.requests[1]).at(-1)).toContain('Write AGENTS.md');
    await leave(terminal);
  });

  test('/review runs in a thread of its own and shows its findings', async () => {
    const findings = {
      findings: [
        {
          title: 'The name is wrong',
          body: 'It should be right.',
          confidence_score: 0.9,
          priority: 1,
          code_location: { absolute_file_path: '/x/new.txt', line_range: { start: 1, end: 1 } },
        },
      ],
      overall_correctness: 'patch is incorrect',
      overall_explanation: 'One finding.',
      overall_confidence_score: 0.9,
    };
    const { terminal, model } = await ready(
      (_, n) => reply(say(n === 2 ? JSON.stringify(findings) : `This is answer ${n}.`)),
      { 'new.txt': 'a new line\n' },
    );
    terminal.type('/review\r');
    await terminal.shows('The name is wrong');
    await terminal.hides('working');
    expect(typed(model.requests[1])).not.toContain('the first prompt');
    terminal.type('go on\r');
    await terminal.shows('This is answer 3.');
    expect(typed(model.requests[2])).toContain('the first prompt');
    await leave(terminal);
  });
});
