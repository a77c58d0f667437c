import { describe, expect, test } from 'vitest';
import { call, gate, reply, say, think } from '../../../src/testing/index.ts';
import { readScreen } from '../../harness/read-screen.ts';
import { runOnTerminal } from '../../harness/run-on-terminal.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const config = { sandbox_mode: 'danger-full-access' };
const ANSWER = '# One\n\n**two** `three` [four](http://five.test/)';

async function outputOf(
  text: string,
  columns: number,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
) {
  const s = await scene([reply(say(text))]);
  const run = await runOnTerminal(['exec', ...args, 'go'], { ...s, config, columns, env });
  const { code, text: output } = await run.wait();
  expect(code).toBe(0);
  return output;
}

/** Returns the rows of the answer on a screen. */
async function screenOf(text: string, columns: number): Promise<string[]> {
  return answerOf(await readScreen(await outputOf(text, columns), columns));
}

/** Returns the rows between the header and the end of a run, which blank rows surround. */
function answerOf(screen: readonly string[]): string[] {
  const start = screen.indexOf(
    '',
    screen.findIndex((row) => row.startsWith('session id:')),
  );
  const end = screen.findIndex((row) => /^(?:tokens used|took )/.test(row));
  return screen.slice(start + 1, end - 1);
}

const LONG = 'x'.repeat(30);

describe.skipIf(process.platform !== 'linux')('the screen of a terminal', () => {
  test('long prose', async () => {
    const text =
      'The **cause** is that `parse` returns *nothing* for an empty line, which the caller does not expect.\n\n## Next\n\nRun it ~~twice~~ once.';
    expect(await screenOf(text, 40)).toEqual([
      'The cause is that parse returns nothing',
      'for an empty line, which the caller does',
      'not expect.',
      '',
      '## Next',
      '',
      'Run it twice once.',
    ]);
    expect((await screenOf(text, 80)).slice(0, 2)).toEqual([
      'The cause is that parse returns nothing for an empty line, which the caller does',
      'not expect.',
    ]);
    expect((await screenOf(text, 200))[0]).toMatch(/^The cause .* expect\.$/);
  });

  test('nested lists', async () => {
    const text =
      'Steps:\n1. Read the file that has the settings\n2. Change\n   - the name of the package and its licence\n     - first\n3. Commit\n\n- [x] done\n- [ ] not done';
    expect(await screenOf(text, 40)).toEqual([
      'Steps:',
      '1. Read the file that has the settings',
      '2. Change',
      '   - the name of the package and its',
      '     licence',
      '     - first',
      '3. Commit',
      '',
      '- [x] done',
      '- [ ] not done',
    ]);
    expect((await screenOf(text, 80))[3]).toBe('   - the name of the package and its licence');
  });

  test('a table', async () => {
    const text =
      '| File | Lines | Changes |\n|:--|--:|:--|\n| src/index.ts | 120 | Exports the new function, the old one is deprecated |\n| src/parse.ts | 7 | A fix |';
    expect(await screenOf(text, 40)).toEqual([
      'File          Lines  Changes',
      '────────────  ─────  ───────────────────',
      'src/index.ts    120  Exports the new',
      '                     function, the old',
      '                     one is deprecated',
      '',
      'src/parse.ts      7  A fix',
    ]);
    expect(await screenOf(text, 200)).toEqual([
      'File          Lines  Changes',
      `────────────  ─────  ${'─'.repeat(51)}`,
      'src/index.ts    120  Exports the new function, the old one is deprecated',
      'src/parse.ts      7  A fix',
    ]);
  });

  test('code that is wider than the terminal stays one line, which the terminal wraps', async () => {
    const text = `Use:\n\`\`\`ts\nexport const a = f("${LONG}");\nreturn;\n\`\`\`\nThen.`;
    const line = `export const a = f("${LONG}");`;
    expect(await screenOf(text, 40)).toEqual([
      'Use:',
      '',
      '```ts',
      line.slice(0, 40),
      line.slice(40),
      'return;',
      '```',
      '',
      'Then.',
    ]);
    expect((await screenOf(text, 80))[3]).toBe(line);
  });

  test('links', async () => {
    const text = 'See [the guide](https://example.com/guide), not [example.com](https://evil.test/).';
    expect(await screenOf(text, 40)).toEqual([
      'See the guide',
      '(https://example.com/guide), not',
      'example.com (https://evil.test/).',
    ]);
    const output = await outputOf(text, 200, { TERM_PROGRAM: 'WezTerm' });
    expect(answerOf(await readScreen(output, 200))).toEqual(['See the guide, not example.com (https://evil.test/).']);
    expect(output).toContain('\u001b]8;;https://example.com/guide\u001b\\');
  });

  test('wide characters and emoji', async () => {
    const text = '日本語のテキストは単語の間に空白がありません。それでも折り返されます。🙂 한국어 문장도 있습니다.';
    expect(await screenOf(text, 40)).toEqual([
      '日本語のテキストは単語の間に空白がありま',
      'せん。それでも折り返されます。🙂 한국어',
      '문장도 있습니다.',
    ]);
  });

  test('a patch with long lines', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n + 1}`).join('\n');
    const patch = `*** Begin Patch\n*** Update File: a.txt\n@@\n line 2\n-line 3\n+\tline three is now a long line of many words\n line 4\n@@\n line 20\n-line 21\n line 22\n*** End Patch\n`;
    const s = await scene([reply(call('apply_patch', { input: patch })), reply(say('done'))]);
    s.workspace.write('a.txt', `${lines}\n`);
    const run = await runOnTerminal(['exec', 'go'], { ...s, config, columns: 40 });
    const { text } = await run.wait();
    const screen = await readScreen(text, 40);
    const start = screen.indexOf('M a.txt (+1 -2)');
    expect(screen.slice(start + 1, start + 11)).toEqual([
      '   1  line 1',
      '   2  line 2',
      '   3 -line 3',
      '   3 +    line three is now a long line',
      '      of many words',
      '   4  line 4',
      '   5  line 5',
      '   6  line 6',
      '     ⋮',
      '  18  line 18',
    ]);
    expect(text).toContain('\u001b[31m   3 -line 3\u001b[0m');
  });

  test('hostile control characters', async () => {
    const text = 'a\u001b[2J\u001b]0;title\u0007b \u202egnp.exe &#27;[31m r\u200bm `\u001b[1A`';
    expect(await screenOf(text, 80)).toEqual([
      'a\\u{1B}[2J\\u{1B}]0;title\\u{7}b \\u{202E}gnp.exe \\u{1B}[31m r\\u{200B}m \\u{1B}[1A',
    ]);
  });

  test('other texts are wrapped at words, commands are not', async () => {
    const command = `echo ${'word '.repeat(12)}`.trim();
    const thought = 'I think about this for a long time before I do anything at all.';
    const s = await scene([reply(think(thought), call('exec_command', { cmd: command })), reply(say('done'))]);
    const run = await runOnTerminal(['exec', '--color', 'never', 'go'], { ...s, config, columns: 40 });
    const { text } = await run.wait();
    expect(text).toContain('I think about this for a long time\r\nbefore I do anything at all.\r\n');
    expect(text).toContain(`$ ${command}\r\n`);
    expect(text).toContain('  word word word word word word word\r\n  word word word word word\r\n');
  });
});

const RAW_ANSWER = ANSWER.replaceAll('\n', '\r\n');

describe.skipIf(process.platform !== 'linux')('a terminal', () => {
  test('gets no colours and no links with NO_COLOR, but the structure', async () => {
    const output = await outputOf(ANSWER, 80, { NO_COLOR: '1', TERM_PROGRAM: 'WezTerm', CI: '1' });
    expect(output).toContain('\r\n# One\r\n\r\n**two** `three` four (http://five.test/)\r\n');
    expect(output).not.toContain('\u001b');
  });

  test('gets the text as it arrives with --raw', async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const s = await scene([reply(say('# One\n\n**two** '), gate(opened), say('`three`'))]);
    const run = await runOnTerminal(['exec', '--raw', 'go'], { ...s, config });
    await run.printed('# One\r\n\r\n**two** ');
    open();
    expect((await run.wait()).text).toContain('`three`');
  });

  test('gets the text as it is with TERM=dumb', async () => {
    expect(await outputOf(ANSWER, 80, { TERM: 'dumb' })).toContain(RAW_ANSWER);
  });
});

test('a pipe gets the text as it is', async () => {
  const s = await scene([reply(say(ANSWER)), reply(say(ANSWER))]);
  const { stdout, stderr } = await runOxbow(['exec', 'go'], { ...s, config });
  expect(stdout).toBe(`${ANSWER}\n`);
  expect(stderr).toContain(`\n\n${ANSWER}\n`);
  const raw = await runOxbow(['exec', '--raw', 'go'], { ...s, config });
  expect(raw.stdout).toBe(stdout);
});
