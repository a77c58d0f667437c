import xterm from '@xterm/headless';
import { expect, test } from 'vitest';
import { SET_MODES, UNDO_AFTER_DEATH, UNDO_MODES } from './modes.ts';

async function afterDeath(bytes: string) {
  const terminal = new xterm.Terminal({ cols: 20, rows: 6, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(`${bytes}${UNDO_AFTER_DEATH}$ `, resolve));
  const { active, normal } = terminal.buffer;
  const rows = Array.from({ length: 6 }, (_, row) => normal.getLine(row)?.translateToString(true) ?? '');
  return { rows: rows.slice(0, normal.cursorY + 1), type: active.type, modes: terminal.modes };
}

test('after a death in the live region the shell goes on below the caret', async () => {
  const found = await afterDeath(`${SET_MODES}committed\r\ndraft\r\nstatus\u001b[1A\u001b[?2026h\u001b[1m`);
  expect(found.rows).toEqual(['committed', 'draft', '$ ']);
  expect(found.modes).toMatchObject({ bracketedPasteMode: false, sendFocusMode: false });
});

test('after a death on a page the normal screen is there again, with the cursor where it was', async () => {
  const found = await afterDeath('committed\r\ndraft\u001b[?1049h\u001b[1;1Hpage\u001b[5;1Hend');
  expect(found.type).toBe('normal');
  expect(found.rows).toEqual(['committed', 'draft', '$ ']);
});

test('every mode that is set is undone', () => {
  for (const [, mode] of SET_MODES.matchAll(/\[\?(\d+)h/g)) expect(UNDO_MODES).toContain(`[?${mode}l`);
  expect(UNDO_MODES).toContain('[<u');
  expect(UNDO_MODES).toContain('[>4m');
});
