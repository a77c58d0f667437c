import { writeFileSync } from 'node:fs';

/**
 * Leaves the memory of this process, which holds keys, out of a core file. Node cannot set the limit of core files, but
 * the kernel reads a file about their contents. Commands inherit the setting.
 */
export function emptyCoreFiles(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // Another system, or a kernel that writes no core files.
  }
}
