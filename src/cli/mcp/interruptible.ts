import { UserError } from '../../base/errors.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import { interruptSignal } from '../interrupt-signal.ts';

/** Runs work with a server, which Ctrl-C stops. Returns the exit code. Throws a fault of the server as `UserError`. */
export async function interruptible(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const interrupt = interruptSignal();
  try {
    return await work(interrupt.signal);
  } catch (error) {
    const code = interrupt.exitCode();
    if (code === undefined) throw error instanceof McpFault ? asUserError(error) : error;
    process.stderr.write('Interrupted.\n');
    return code;
  } finally {
    interrupt.done();
  }
}

function asUserError(fault: McpFault): UserError {
  return new UserError('unavailable', fault.message, { cause: fault });
}
