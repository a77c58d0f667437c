import type { PatchAction } from '../../base/action.ts';
import type { CallEnvironment } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { ToolResult } from '../../base/tool.ts';

/** Result of writing a patch. */
export interface PatchEnd {
  readonly exitCode: 0 | 1;
  /** Duration, rounded to one decimal. */
  readonly seconds: number;
  readonly text: string;
}

/**
 * Writes a planned patch and formats its result with `answer`. A failure is a result too, like the failure of a command.
 */
export async function writePatch(
  action: PatchAction,
  environment: CallEnvironment,
  answer: (end: PatchEnd) => string,
): Promise<ToolResult> {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10;
  try {
    await environment.change(action);
    return { output: answer({ exitCode: 0, seconds: seconds(), text: summaryOf(action) }), success: true };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const output = answer({ exitCode: 1, seconds: seconds(), text: error.message });
    return { output, success: false, failure: error.kind };
  }
}

const LETTERS = { add: 'A', update: 'M', delete: 'D' } as const;

function summaryOf({ changes }: PatchAction): string {
  const lines = Object.values(LETTERS).flatMap((letter) =>
    changes.filter(({ type }) => LETTERS[type] === letter).map(({ shown }) => `${letter} ${shown}\n`),
  );
  return `Success. Updated the following files:\n${lines.join('')}`;
}

/** Returns the result in the plain form of command tools. */
export function endText({ exitCode, seconds, text }: PatchEnd): string {
  return `Exit code: ${exitCode}\nWall time: ${seconds} seconds\nOutput:\n${text}`;
}
