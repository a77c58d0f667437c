import { execFileSync } from 'node:child_process';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** Prints the bytes that V8 has for young objects after a million of them, a tenth of which were alive at a time. */
const GROW = `
  let kept = [];
  for (let made = 0; made < 1e6; made++) {
    kept.push({ made });
    if (kept.length > 1e5) kept = [];
  }
  console.log(require('node:v8').getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size);
`;

const youngBytes = (script: string) => Number(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }));

test('the room for young objects does not grow', async () => {
  const contents = "import { keepHeapSmall } from './keep-heap-small.ts'; keepHeapSmall();";
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    ...{ bundle: true, write: false, platform: 'node', format: 'cjs' },
  });
  const setUp = outputFiles[0]?.text ?? '';
  expect(youngBytes(setUp + GROW)).toBeLessThan(youngBytes(GROW) / 4);
});
