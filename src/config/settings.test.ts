import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('the type of the settings and the tables of docs/configuration.md are as the tables say', () => {
  const script = new URL('../../scripts/write-settings.mjs', import.meta.url).pathname;
  expect(execFileSync(process.execPath, [script, '--check'], { encoding: 'utf8' })).toBe('');
});
