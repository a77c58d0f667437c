import { ToolFailure } from '../../base/errors.ts';

/** Returns the failure of typing into a process without input, in the words of Codex, which models know. */
export function inputClosed(): ToolFailure {
  return new ToolFailure(
    'execution',
    'stdin is closed for this session; rerun exec_command with tty=true to keep stdin open',
  );
}
