import { expect, test } from 'vitest';
import { resolveName } from './tool-names.ts';

const tools = new Map([
  ['exec_command', 1],
  ['Read', 1],
  ['read', 1],
  ['weather:1', 1],
  ['functions.own', 1],
]);

test.each([
  ['functions.exec_command', 'exec_command'],
  ['default_api:exec_command', 'exec_command'],
  ['tools/exec_command', 'exec_command'],
  ['functions.exec_command:0', 'exec_command'],
  ['Exec_Command', 'exec_command'],
  ['exec_command<|channel|>commentary', 'exec_command'],
  [' exec_command ', 'exec_command'],
  ['functions.own', 'functions.own'],
  ['weather:1', 'weather:1'],
  // Two tools differ by nothing else.
  ['READ', undefined],
  ['exec', undefined],
  ['', undefined],
])('%j means %j', (name, tool) => {
  expect(resolveName(name, tools)).toBe(tool);
});
