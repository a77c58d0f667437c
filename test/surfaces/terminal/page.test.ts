import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_KEYS } from '../../../src/config/setting/terminal-keys.ts';
import { reply, say } from '../../../src/testing/index.ts';
import { COMMANDS } from '../../../src/tui/commands/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import { startProgram } from '../../harness/start-program.ts';
import { startTerminal } from '../../harness/start-terminal.ts';
import { blocksOf, commandsOf, REPOSITORY } from '../package/doc-pages.ts';

const PAGE = 'docs/terminal.md';
const page = readFileSync(join(REPOSITORY, PAGE), 'utf8');

describe('docs/terminal.md', () => {
  test('has the keys of every action', () => {
    const shown = rowsBelow('## Keys').map(([action = '', keys = '']) => [action, keys]);
    const known = Object.entries(DEFAULT_KEYS).map(([action, keys]) => [
      `\`${action}\``,
      keys.map((key) => key.replaceAll('+', '-').replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())).join(', '),
    ]);
    expect(shown).toEqual(known);
  });

  test('has the slash commands', () => {
    const known = Object.entries(COMMANDS).flatMap(([name, { summary, argument, whileIdle }]) =>
      summary === undefined
        ? []
        : [[`\`/${name}${argument ? ` ${argument}` : ''}\``, summary, whileIdle ? 'after the turn' : '']],
    );
    expect(rowsBelow('## Commands')).toEqual(known);
  });

  test.skipIf(!existsSync('/usr/bin/bwrap'))('shows the screens as they are', async () => {
    const program = await startProgram({
      command: process.execPath,
      args: [join(REPOSITORY, 'scripts/draw-terminal.mjs'), '--check'],
      cwd: REPOSITORY,
      env: { PATH: process.env.PATH ?? '' },
    });
    expect(await program.wait()).toMatchObject({ code: 0, stderr: '' });
  });

  const lines = blocksOf(PAGE)
    .filter(({ language }) => language === 'sh')
    .flatMap(commandsOf)
    .map(({ command }) => command);

  test('has command lines that open the terminal', async () => {
    const s = await scene(() => reply(say('Done.')));
    for (const args of [
      ['exec', 'one'],
      ['exec', 'resume', '--last', 'two'],
    ])
      await runOxbow(args, s);
    const [{ id }] = JSON.parse((await runOxbow(['threads', '--json'], s)).stdout) as [{ id: string }];
    await runOxbow(['threads', 'rename', id, 'slow parser'], s);
    for (const line of lines) await expectOpens(s, line, id);
  });
});

/** Starts the program with a line of the page, in which the id of the thread "slow parser" stands. */
async function expectOpens(s: Scene, line: string, id: string): Promise<void> {
  const words = line.replace(/ +#.*/, '').replace('01a1dfaa-5614', id.slice(0, 13));
  const args = [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
  const terminal = startTerminal(args.slice(1), { workspace: s.workspace, model: s.model });
  await terminal.shows(line.includes('-m ') ? /my-model · on-request, read-only/ : /scripted · /);
  if (words.trim() === 'oxbow resume') await terminal.shows('slow parser');
  else if (args.some((word) => word.includes(' ') && word !== 'slow parser')) await terminal.shows('Done.');
  terminal.kill('SIGTERM');
  expect(await terminal.wait(), line).toMatchObject({ code: 143 });
}

/** Returns the cells of the first table below a heading, without its head. */
function rowsBelow(heading: string): string[][] {
  const [, after = ''] = page.split(`\n${heading}\n`);
  const [section = ''] = after.split('\n## ');
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}
