import { readFileSync } from 'node:fs';
import { UserError } from '../base/errors.ts';
import { fileFault } from '../base/file-fault.ts';
import instructions from './instructions.md';
import { joinTexts } from './join-texts.ts';
import { type ModelFamily, modelInstructions } from './model-instructions.ts';
import { toolParts } from './tool-parts.ts';

export interface InstructionSettings {
  /** File with a text that replaces Oxbow's. */
  readonly modelInstructionsFile: string | null;
  /** The user's own instructions, which follow the base instructions. */
  readonly instructions: string | null;
}

/** Model that gets the instructions, and its tools. */
export interface Audience {
  readonly family: ModelFamily;
  /** Names of the offered tools. */
  readonly offered: ReadonlySet<string>;
}

/** Returns the first text that the model gets. Throws `UserError` when the file cannot be read. */
export function baseInstructions(settings: InstructionSettings, { family, offered }: Audience): string {
  const { modelInstructionsFile: file, instructions: own } = settings;
  const base =
    file === null ? [instructions, ...toolParts(offered), modelInstructions(family, offered)] : [readText(file)];
  return joinTexts([...base, own ?? '']);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError('storage', `model_instructions_file cannot be read: ${fileFault(error)}.`);
  }
}
