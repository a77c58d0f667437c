import { setTimeout as delay } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';

const WAIT_MS = 30_000;

/** Starts a program in a terminal of its own, whose screen an emulator keeps. */
export function openScreen({ command, args, columns, rows, cwd, env }) {
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  emulator.loadAddon(new Unicode11Addon());
  emulator.unicode.activeVersion = '11';
  const child = spawn(command, args, { name: 'xterm-256color', cols: columns, rows, cwd, env });
  child.onData((data) => emulator.write(data));
  emulator.onData((data) => child.write(data));
  const ended = new Promise((resolve) => child.onExit(resolve));
  const drawn = () => new Promise((resolve) => emulator.write('', resolve));

  /** Returns the rows as runs: those of the screen, or all of them. Rows without text at the end are left out. */
  async function read(which = 'screen') {
    await drawn();
    const buffer = emulator.buffer.active;
    const first = which === 'screen' ? buffer.baseY : 0;
    const found = [];
    for (let row = first; row < buffer.length; row += 1) found.push(runsOf(buffer.getLine(row), columns));
    while (found.at(-1)?.length === 0) found.pop();
    return { rows: found, caret: { row: buffer.baseY + buffer.cursorY - first, column: buffer.cursorX } };
  }

  return {
    read,
    type: (text) => child.write(text),
    ended,
    end: () => child.kill('SIGKILL'),
    /** Resolves when a row of the screen or the scrollback matches. */
    async shows(wanted) {
      for (const stop = Date.now() + WAIT_MS; ; await delay(50)) {
        const text = (await read('all')).rows.map(textOf).join('\n');
        if (wanted.test(text)) return;
        if (Date.now() > stop) throw new Error(`The screen does not show ${wanted}:\n${text}`);
      }
    },
  };
}

/** Returns the text of a row. */
export const textOf = (runs) => runs.reduce((row, { column, text }) => row.padEnd(column) + text, '');

/** Returns the cells of a row as runs of one look. Spaces without a background are between the runs. */
function runsOf(line, columns) {
  const runs = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const text = cell.getChars() || ' ';
    const { look, back } = looksOf(cell);
    const last = runs.at(-1);
    const goesOn = last?.column + last?.cells === column && last.back === back && last.look.join() === look.join();
    if (goesOn) Object.assign(last, { text: last.text + text, cells: last.cells + cell.getWidth() });
    else runs.push({ column, cells: cell.getWidth(), text, look, back });
  }
  return runs.filter(({ text, back }) => back !== null || text.trim() !== '');
}

function looksOf(cell) {
  const own = [
    cell.isBold() && 'bold',
    cell.isDim() && 'dim',
    cell.isItalic() && 'italic',
    cell.isUnderline() && 'underline',
  ].filter(Boolean);
  const color = cell.isFgPalette() ? cell.getFgColor() : null;
  const ground = cell.isBgPalette() ? `b${cell.getBgColor()}` : null;
  if (cell.isInverse()) return { look: [...own, 'inverse'], back: color === null ? 'text' : `b${color}` };
  return { look: color === null ? own : [...own, `f${color}`], back: ground };
}
