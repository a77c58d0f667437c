import { readFileSync } from 'node:fs';
import { messageOf, UserError } from '../base/errors.ts';
import instructions from './instructions.md';

export interface InstructionSettings {
  /** A file with a text instead of ours. */
  readonly modelInstructionsFile: string | null;
  /** What the user wants to be kept in mind, after the base instructions. */
  readonly instructions: string | null;
}

/** What the model is told first. Throws `UserError` when the file cannot be read. */
export function baseInstructions({ modelInstructionsFile, instructions: own }: InstructionSettings): string {
  const base = modelInstructionsFile === null ? instructions : readText(modelInstructionsFile);
  return [base, own ?? '']
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join('\n\n');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`model_instructions_file cannot be read: ${messageOf(error)}`);
  }
}
