/** Native code of node-pty. It opens pairs of descriptors, and leaves the start of processes to us. */
export interface PtyBinding {
  open(columns: number, rows: number): { readonly master: number; readonly slave: number; readonly pty: string };
  resize(descriptor: number, columns: number, rows: number): void;
}

/**
 * Loads the native code of @lydell/node-pty. Rejects where the package is missing or has no binary for this system.
 *
 * Relies on `requireBinary.js` of the package and on two functions of the binary; neither is documented, hence the pinned
 * version. The documented module reads from the terminal itself, loses the last output of a program that ends right
 * after printing, and cannot hand the descriptors to a sandbox. src/exec/pty/pty.test.ts fails when the module or the
 * functions change.
 */
export async function loadPtyBinding(): Promise<PtyBinding> {
  const { requireBinary } = await import('@lydell/node-pty/requireBinary.js');
  return requireBinary('pty.node') as PtyBinding;
}
