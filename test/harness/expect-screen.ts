import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { TempWorkspace } from '../../src/testing/index.ts';

/** Time for the parts of a screen that come last, such as the branch. */
const WAIT_MS = 10_000;
/** A screen that stays the same for this time is complete, when it is written to a file. */
const STILL_MS = 1500;

/**
 * Waits until the rows of a terminal are those of the file screens/NAME.txt next to a test. With OXBOW_WRITE_SCREENS=1 the
 * file is written, to be read by a person. Times, ids of threads and folders of the test have names in the file.
 */
export async function expectScreen(
  test: string,
  name: string,
  workspace: TempWorkspace,
  read: () => Promise<readonly string[]>,
): Promise<void> {
  const path = fileURLToPath(new URL(`screens/${name}.txt`, test));
  const shown = async () => `${steady(await read(), workspace).join('\n')}\n`;
  if (process.env.OXBOW_WRITE_SCREENS === '1') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await still(shown));
  }
  const wanted = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const stop = Date.now() + WAIT_MS;
  let text = await shown();
  while (text !== wanted && Date.now() < stop) {
    await delay(50);
    text = await shown();
  }
  expect(text, `screens/${name}.txt`).toBe(wanted);
}

async function still(shown: () => Promise<string>): Promise<string> {
  let last = await shown();
  for (let since = Date.now(); Date.now() - since < STILL_MS; await delay(50)) {
    const text = await shown();
    if (text !== last) since = Date.now();
    last = text;
  }
  return last;
}

function steady(rows: readonly string[], { path, home }: TempWorkspace): string[] {
  const named = rows.map((row) =>
    row
      .replaceAll(path, '/project')
      .replaceAll(home, '/home')
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'ID')
      .replace(/\b\d+(\.\d+)? (s|min)\b/g, 'N s'),
  );
  // The time of a fast command is not shown, unless the machine is slow.
  const kept = named.filter((row) => row !== 'N s');
  return kept.slice(
    kept.findIndex((row) => row !== ''),
    kept.findLastIndex((row) => row !== '') + 1,
  );
}
