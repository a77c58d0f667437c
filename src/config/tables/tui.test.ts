import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../load-config.ts';
import { DEFAULT_KEYS, readKeyName } from '../setting/terminal-keys.ts';

const load = (toml: string) => loadConfig({ env: { HOME: '/nowhere' }, cwd: '/', settings: parse(toml) }).tui;

describe('[tui.keys]', () => {
  test.each([
    ['transcript = "ctrl+x"', { transcript: ['ctrl+x'] }],
    ['transcript = ["Alt+Ctrl+x", "f5"]', { transcript: ['ctrl+alt+x', 'f5'] }],
    ['undo = "ctrl-/"', { undo: ['ctrl+_'] }],
    ['back = "esc"', { back: ['escape'] }],
    ['image = []', { image: [] }],
  ])('%s is read', (line, keys) => {
    expect(load(`[tui.keys]\n${line}`).keys).toEqual(keys);
  });

  test.each([
    ['transcrpt = "ctrl+x"', /^tui\.keys\.transcrpt \(.*\) does not exist\. There are: send, complete,/],
    ['transcript = "hyper+x"', /^tui\.keys\.transcript must be a key such as .*, not "hyper\+x" \(.*\)\.$/],
    ['transcript = "x"', /^tui\.keys\.transcript must be a key such as/],
    ['transcript = ""', /^tui\.keys\.transcript must be a key such as/],
    ['transcript = 3', /^tui\.keys\.transcript must be a key such as .*, not 3 \(.*\)\.$/],
    [
      'transcript = "ctrl+x"\nimage = "ctrl+X"',
      /^tui\.keys\.transcript and tui\.keys\.image have the same key ctrl\+x \(/,
    ],
  ])('%s is an error', (line, message) => {
    expect(() => load(`[tui.keys]\n${line}`)).toThrow(message);
  });

  test('the defaults are names of keys, and no two actions share one', () => {
    const keys = Object.values(DEFAULT_KEYS).flat();
    for (const key of keys.filter((name) => name !== 'ctrl+/')) expect(readKeyName(key)).toBe(key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

test.each([
  ['accent = "blue"', undefined],
  ['accent = "#00ff7f"\nmuted = "244"\nlink = "bright-cyan"', undefined],
  ['accent = "bluish"', /^tui\.colors\.accent must be a string such as .*, not "bluish"/],
  ['accent = "256"', /^tui\.colors\.accent must be/],
  ['accents = "blue"', /^tui\.colors\.accents \(.*\) does not exist\. There are: accent, added,/],
])('[tui.colors] %s', (line, message) => {
  const read = () => load(`[tui.colors]\n${line}`);
  if (message === undefined) expect(Object.keys(read().colors)).not.toEqual([]);
  else expect(read).toThrow(message);
});

test('settings of Codex for its own screens are not errors', () => {
  const { theme, notifications } = load('[tui]\ntheme = "catppuccin-mocha"\nnotifications = ["agent-turn-complete"]');
  expect({ theme, notifications }).toEqual({ theme: 'catppuccin-mocha', notifications: true });
});
