const ESC = '\u001b';
const CSI = `${ESC}[`;

/**
 * Modes that are on while we read keys: marked pastes, reports of the focus, and keys that differ in their bytes. A terminal that knows both ways to
 * make them differ takes the last one. Flags of the second that report releases stay off: their tails end up in the shell.
 */
export const SET_MODES = `${CSI}?2004h${CSI}?1004h${CSI}>4;2m${CSI}>1u`;

/** Undoes the modes, for a program that comes after us or for the end. */
export const UNDO_MODES = `${CSI}<u${CSI}>4m${CSI}?1004l${CSI}?2004l${CSI}?25h`;

/**
 * Undoes everything after our sudden death, in whatever state it left the terminal, and leaves the cursor below the live
 * region. Leaving the alternate screen restores a saved place also where there is no alternate screen to leave, so the
 * current place is saved first; the alternate screen has a saved place of its own.
 */
export const UNDO_AFTER_DEATH = `${CSI}0m${ESC}]8;;${ESC}\\${ESC}7${CSI}?1049l${UNDO_MODES}${CSI}?2026l\r\n${CSI}J`;

/**
 * Returns questions to the terminal: whether it marks pastes, its way to report keys, its name and version, its background.
 * Every terminal answers the last one, so its answer ends the others. Nothing waits for the answers.
 */
export const probeOf = (program: string | undefined): string =>
  // Apple's terminal does not know the first question, and prints its last letter.
  `${program === 'Apple_Terminal' ? '' : `${CSI}?2004$p`}${CSI}?u${CSI}>q${ESC}]11;?${ESC}\\${CSI}c`;

/** Asks where the cursor stands. */
export const ASK_CURSOR = `${CSI}6n`;
