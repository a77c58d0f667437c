/**
 * Hyphens and dashes, single and double quotation marks and spaces that editors and models write instead of plain ones.
 */
const FANCY = /[\u2010-\u2015\u2212]|[\u2018-\u201b]|[\u201c-\u201f]|[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g;
const MAY_BE_FANCY = /[\u00a0\u2002-\u3000]/;

/** Returns a line trimmed and with plain punctuation: the loosest form in which lines are compared. */
export function foldLine(line: string): string {
  const trimmed = line.trim();
  return MAY_BE_FANCY.test(trimmed) ? trimmed.replace(FANCY, plain) : trimmed;
}

function plain(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x2212 || (code >= 0x2010 && code <= 0x2015)) return '-';
  if (code >= 0x2018 && code <= 0x201b) return "'";
  return code >= 0x201c && code <= 0x201f ? '"' : ' ';
}
