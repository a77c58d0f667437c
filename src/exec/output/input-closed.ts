import { ToolFailure } from '../../base/errors.ts';

/** The failure of typing into a process that has no input, in the words that models know from Codex. */
export function inputClosed(): ToolFailure {
  return new ToolFailure(
    'execution',
    'stdin is closed for this session; rerun exec_command with tty=true to keep stdin open',
  );
}
