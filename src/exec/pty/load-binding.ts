import { messageOf, ToolFailure } from '../../base/errors.ts';

/** What the native code can do. It opens pairs of descriptors; that processes get them is our part. */
export interface PtyBinding {
  open(columns: number, rows: number): { readonly master: number; readonly slave: number; readonly pty: string };
  resize(descriptor: number, columns: number, rows: number): void;
}

let loading: Promise<PtyBinding> | undefined;

/** Loads it when a terminal is first needed. Throws `ToolFailure` where it cannot be loaded. */
export function loadBinding(): Promise<PtyBinding> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw new ToolFailure('execution', unavailable(error), { cause: error });
  });
  return loading;
}

async function load(): Promise<PtyBinding> {
  // Not the package's main module: that reads from both ends of a terminal which it has not started the process of.
  const { requireBinary } = await import('@lydell/node-pty/requireBinary.js');
  return requireBinary('pty.node') as PtyBinding;
}

function unavailable(error: unknown): string {
  const [reason = ''] = messageOf(error).split('\n');
  return `There are no terminals on this machine: @lydell/node-pty cannot be loaded (${reason}). Run the command with tty=false, or install the package for this system.`;
}
