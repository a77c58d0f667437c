import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSlowProfile } from './slow-profile.ts';

test('a slow profile is known until it changes, and for a day', () => {
  const home = mkdtempSync(join(tmpdir(), 'oxbow-test-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  let now = 1_000_000;
  const profile = join(home, '.bash_profile');
  const slow = (shell = '/bin/bash') => createSlowProfile({ home, shell, folder: home, now: () => now });
  writeFileSync(profile, 'sleep 60');
  expect(slow().isKnown()).toBe(false);
  slow().remember();
  expect(slow().isKnown()).toBe(true);
  expect(slow('/bin/zsh').isKnown()).toBe(false);
  utimesSync(profile, 1, 1);
  expect(slow().isKnown()).toBe(false);
  slow().remember();
  expect(slow().isKnown()).toBe(true);
  now += 25 * 60 * 60 * 1000;
  expect(slow().isKnown()).toBe(false);
});
