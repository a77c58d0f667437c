import { Unicode11Addon } from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';

/** Returns the rows that a terminal of this width shows after the output, scrolled rows included. Rows have no spaces at their ends. */
export async function readScreen(output: string, columns: number): Promise<string[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows: 24, scrollback: 10_000, allowProposedApi: true });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const buffer = terminal.buffer.active;
  const rows = Array.from({ length: buffer.length }, (_, row) => buffer.getLine(row)?.translateToString(true) ?? '');
  terminal.dispose();
  return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
}
