import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from './doc-pages.ts';

const dist = join(REPOSITORY, 'dist');
const files = ['.', 'chunks'].flatMap((folder) =>
  readdirSync(join(dist, folder))
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(dist, folder, name)),
);

/** Code that is the same before and after the build. */
const MARK = 'new UserError(';

test('each file of the library has a source map that leads to the right place', () => {
  const marks = files.flatMap(marksIn);
  expect(marks.length).toBeGreaterThan(50);
  expect(marks.filter(({ source }) => !source.startsWith(MARK))).toEqual([]);
});

/** Returns the source that the map of a file names for each mark in its code. */
function marksIn(path: string): { readonly code: string; readonly source: string }[] {
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap((line, number) =>
    [...line.matchAll(/\bnew UserError\(/g)].map(({ index }) => {
      const entry = map.findEntry(number, index);
      return { code: `${path}:${number + 1}:${index + 1}`, source: sourceAt(path, entry) };
    }),
  );
}

function sourceAt(path: string, entry: ReturnType<SourceMap['findEntry']>): string {
  if (!('originalSource' in entry)) return '';
  const lines = readFileSync(join(dirname(path), entry.originalSource), 'utf8').split('\n');
  return lines[entry.originalLine]?.slice(entry.originalColumn) ?? '';
}

test('the stack of an error in a program names files and lines of the sources', () => {
  const program = `import { createAgent } from 'oxbow';
    try { createAgent({ home: 5, cwd: 7 }); } catch (error) { console.log(error.stack); }`;
  const args = ['--enable-source-maps', '--input-type=module', '-e', program];
  expect(execFileSync(process.execPath, args, { cwd: REPOSITORY, encoding: 'utf8' })).toMatch(
    /src\/app\/[\w/-]+\.ts:\d+/,
  );
});
