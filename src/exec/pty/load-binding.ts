import { messageOf, ToolFailure } from '../../base/errors.ts';
import { lazy } from '../../base/lazy.ts';
import { loadPtyBinding } from '../../node-internals/load-pty-binding.ts';

/** Loads the native code for terminals, once. Throws `ToolFailure` where it cannot be loaded. */
export const loadBinding = lazy(() =>
  loadPtyBinding().catch((error) => {
    throw new ToolFailure('execution', unavailable(error), { cause: error });
  }),
);

function unavailable(error: unknown): string {
  const [reason = ''] = messageOf(error).split('\n');
  return `There are no terminals on this machine: @lydell/node-pty cannot be loaded (${reason}). Run the command with tty=false, or install the package for this system.`;
}
