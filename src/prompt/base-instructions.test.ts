import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUILT_IN_TOOLS } from '../tools/registry.ts';
import { baseInstructions } from './base-instructions.ts';
import { familyIn, modelSwitch } from './model-instructions.ts';
import { toolParts } from './tool-parts.ts';

const NOTHING = { modelInstructionsFile: null, instructions: null };
const offer = (...names: string[]) => new Set(names);
const USUAL = offer('exec_command', 'write_stdin', 'update_plan', 'apply_patch', 'view_image');

test('base text, parts of the tools, text of the model and the user’s own, with a blank line between them', () => {
  const settings = { ...NOTHING, instructions: '\nAnswer in rhyme.\n' };
  const text = baseInstructions(settings, { family: 'other', offered: USUAL });
  expect(text).toMatch(/^You are Oxbow/);
  expect(text).toMatch(/\n\nAnswer in rhyme\.$/);
  expect(text).not.toMatch(/\n\n\n/);
  const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  expect(headings.slice(-5)).toEqual([
    'exec_command and write_stdin',
    'apply_patch',
    'update_plan',
    'view_image',
    'Calling tools',
  ]);
});

test('only offered tools are mentioned', () => {
  const names = BUILT_IN_TOOLS.map(({ name }) => name);
  for (const command of ['exec_command', 'shell', 'shell_command', 'local_shell', 'unified_exec'] as const) {
    for (const others of [[], ['update_plan', 'apply_patch', 'view_image', 'web_search']]) {
      const offered = offer(command, ...(command === 'exec_command' ? ['write_stdin'] : []), ...others);
      for (const family of ['trained', 'other'] as const) {
        const text = baseInstructions(NOTHING, { family, offered });
        // Without a tool of its own, a patch is a command of this name.
        const absent = names.filter((name) => !offered.has(name) && name !== 'apply_patch' && name !== 'shell');
        expect(absent.filter((name) => text.includes(name))).toEqual([]);
        expect(text.includes("apply_patch <<'EOF'")).toBe(!offered.has('apply_patch'));
      }
    }
  }
});

test('each built-in tool that needs an explanation has a part', () => {
  const without = toolParts(offer()).length;
  for (const { name } of BUILT_IN_TOOLS.filter((facts) => !['write_stdin', 'apply_patch'].includes(facts.name))) {
    expect(toolParts(offer(name))).toHaveLength(without + 1);
  }
  expect(toolParts(offer('apply_patch'))).not.toEqual(toolParts(offer()));
});

test('a file replaces the base text and the text for models; the user’s own stays', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-instructions-'));
  const file = join(folder, 'base.md');
  writeFileSync(file, 'You are a parrot.\n');
  const settings = { modelInstructionsFile: file, instructions: 'Speak.' };
  expect(baseInstructions(settings, { family: 'other', offered: USUAL })).toBe('You are a parrot.\n\nSpeak.');
  rmSync(folder, { recursive: true });
  expect(() => baseInstructions(settings, { family: 'other', offered: USUAL })).toThrow(
    'model_instructions_file cannot be read',
  );
});

test('the family is recognized in its instructions', () => {
  for (const family of ['trained', 'other'] as const) {
    const text = baseInstructions({ ...NOTHING, instructions: 'More.' }, { family, offered: USUAL });
    expect(familyIn(text)).toBe(family);
    expect(modelSwitch(family, USUAL)).toMatch(/^<model_switch>\n[\s\S]*\n<\/model_switch>$/);
    expect(familyIn(modelSwitch(family, USUAL))).toBe(family);
  }
  expect(familyIn('You are a parrot.')).toBeUndefined();
});
