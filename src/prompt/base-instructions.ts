import { readFileSync } from 'node:fs';
import { messageOf, UserError } from '../base/errors.ts';
import instructions from './instructions.md';
import { joinTexts } from './join-texts.ts';
import { type ModelFamily, modelInstructions } from './model-instructions.ts';
import { toolParts } from './tool-parts.ts';

export interface InstructionSettings {
  /** A file with a text instead of ours. */
  readonly modelInstructionsFile: string | null;
  /** What the user wants to be kept in mind, after the base instructions. */
  readonly instructions: string | null;
}

/** Who is told, and what it can call. */
export interface Audience {
  readonly family: ModelFamily;
  /** Names of the tools that are offered. */
  readonly offered: ReadonlySet<string>;
}

/** What the model is told first. Throws `UserError` when the file cannot be read. */
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
    throw new UserError('storage', `model_instructions_file cannot be read: ${messageOf(error)}`);
  }
}
