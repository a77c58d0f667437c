import { readFileSync } from 'node:fs';
import { UserError } from '../base/errors.ts';
import { fileFault } from '../base/file-fault.ts';
import prompt from './compact.md';

export interface CompactPromptSettings {
  /** Text that replaces Oxbow's. */
  readonly prompt: string | null;
  /** File with that text. */
  readonly promptFile: string | null;
}

/**
 * Returns the text that asks the model for a summary of its thread. Throws `UserError` when the file cannot be read.
 */
export function compactPrompt({ prompt: own, promptFile }: CompactPromptSettings): string {
  const text = (own ?? (promptFile === null ? '' : readText(promptFile))).trim();
  return text === '' ? prompt.trim() : text;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError('storage', `experimental_compact_prompt_file cannot be read: ${fileFault(error)}.`);
  }
}
