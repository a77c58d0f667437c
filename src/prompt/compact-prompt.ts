import { readFileSync } from 'node:fs';
import { messageOf, UserError } from '../base/errors.ts';
import prompt from './compact.md';

export interface CompactPromptSettings {
  /** Instead of ours. */
  readonly prompt: string | null;
  /** A file with it. */
  readonly promptFile: string | null;
}

/** What the model is asked for a summary of its thread with. Throws `UserError` when the file cannot be read. */
export function compactPrompt({ prompt: own, promptFile }: CompactPromptSettings): string {
  const text = (own ?? (promptFile === null ? '' : readText(promptFile))).trim();
  return text === '' ? prompt.trim() : text;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError('storage', `experimental_compact_prompt_file cannot be read: ${messageOf(error)}`);
  }
}
