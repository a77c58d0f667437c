import { expect, test } from 'vitest';
import { reflowsByName, type TerminalNames } from './reflows-by-name.ts';

test.each<[TerminalNames, boolean]>([
  [{ version: 'XTerm(379)' }, false],
  [{ version: 'xterm.js(6.0.0)' }, true],
  [{ version: 'tmux 3.4', program: 'Apple_Terminal' }, true],
  [{ version: 'XTerm(379)', program: 'vscode' }, false],
  [{ program: 'iTerm.app' }, true],
  [{}, false],
])('%o', (names, reflows) => {
  expect(reflowsByName(names)).toBe(reflows);
});
