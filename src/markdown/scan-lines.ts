/** Effect of a line on the blocks of a document. */
export interface LineVerdict {
  /** Whether the block before is finished, and the line begins another one. */
  readonly endsBefore: boolean;
  /** Whether the line begins an item of a list or a fence, so that the lines before could be shown without it. */
  readonly splitsBefore: boolean;
  /** Whether the line is the last one of its block. A blank line after a block is not part of the block. */
  readonly endsAfter: boolean;
  /** Whether a blank line is part of the block for certain. */
  readonly isKept: boolean;
}

/** The place of a scanner in a document, as plain data. */
export interface ScanState {
  /** The construct that the last line belongs to. */
  readonly construct: Construct;
  readonly afterBlank: boolean;
}

type Construct =
  | { readonly in: 'nothing' | 'indented code' | 'html' }
  /** `table` counts the rows of a table below its header. Zero for a paragraph without a table so far. */
  | { readonly in: 'paragraph'; readonly table: number }
  /** A fence ends with its mark. */
  | { readonly in: 'fence'; readonly mark: string }
  /** HTML that may contain blank lines, up to a mark. */
  | { readonly in: 'raw html'; readonly mark: string }
  /** Lines that are indented by `content` belong to the last item. An `empty` item ends with a blank line. */
  | { readonly in: 'list'; readonly content: number; readonly empty: boolean; readonly item: ListItemMark };

/** The mark of an item: a sign, or a number and the sign after it. */
interface ListItemMark {
  readonly sign: string;
  /** Number that the item is shown with. Null in a list without numbers. */
  readonly number: number | null;
}

const GOES_ON: LineVerdict = { endsBefore: false, splitsBefore: false, endsAfter: false, isKept: false };
const KEPT: LineVerdict = { ...GOES_ON, isKept: true };
const ENDS_AFTER: LineVerdict = { ...GOES_ON, endsAfter: true };
const NOTHING: Construct = { in: 'nothing' };
const PARAGRAPH: Construct = { in: 'paragraph', table: 0 };

export const SCAN_START: ScanState = { construct: NOTHING, afterBlank: false };

/** A state and the verdict about the line that led to it. */
export interface ScannedLine {
  readonly state: ScanState;
  readonly verdict: LineVerdict;
}

/**
 * Returns the state after a line, and its effect on the blocks. Blocks end at places where the lexer begins anew. Where both
 * would be possible a block goes on: two blocks in one are lexed well, half a block is not.
 */
export function scanLine(state: ScanState, line: string): ScannedLine {
  const { construct: before, afterBlank } = state;
  if (line.trim() === '') return scanBlank(state);
  if (before.in === 'fence' || before.in === 'raw html') {
    if (!closes(before, line)) return { state, verdict: KEPT };
    return { state: { construct: NOTHING, afterBlank }, verdict: ENDS_AFTER };
  }
  const endsBefore = afterBlank && !goesOnAfterBlank(before, line);
  const construct = constructAfter(endsBefore ? NOTHING : before, line);
  // HTML that ends on the line where it begins.
  const endsAfter = construct.in === 'raw html' && endsOnFirstLine(construct.mark, line);
  const splitsBefore = construct.in === 'fence' || (construct.in === 'list' && construct !== before);
  const after = { construct: endsAfter ? NOTHING : construct, afterBlank: false };
  return { state: after, verdict: { ...GOES_ON, endsBefore, splitsBefore, endsAfter } };
}

function scanBlank(state: ScanState): ScannedLine {
  const { construct, afterBlank } = state;
  if (construct.in === 'fence' || construct.in === 'raw html') return { state, verdict: KEPT };
  if (construct.in !== 'list' && construct.in !== 'indented code')
    return { state: { construct: NOTHING, afterBlank }, verdict: ENDS_AFTER };
  const endsItem = construct.in === 'list' && construct.empty && !afterBlank;
  const after = endsItem ? { ...construct, content: Infinity } : construct;
  return { state: { construct: after, afterBlank: true }, verdict: GOES_ON };
}

const HEADING = /^ {0,3}#{1,6}(?=\s|$)/;
const RULE = /^ {0,3}(?:(?:-[\t ]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
const QUOTE = /^ {0,3}>/;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const ITEM = /^( {0,3}(?:[*+-]|\d{1,9}[.)]))([\t ].*)?$/;
/** An item that may follow a paragraph without a blank line. */
const INTERRUPTING_ITEM = /^ {0,3}(?:[*+-]|1[.)])[\t ]+[^\t ]/;
const ANY_HTML = /^ {0,3}<(?:[a-z].*>|!--)/i;
/** HTML that ends with a mark, not with a blank line. */
const RAW_HTML = [
  [/^ {0,3}<(script|pre|style|textarea)(?=[\s>]|$)/i, (tag: string) => `</${tag.toLowerCase()}>`],
  [/^ {0,3}<!--/, () => '-->'],
  [/^ {0,3}<\?/, () => '?>'],
  [/^ {0,3}<!\[CDATA\[/, () => ']]>'],
  [/^ {0,3}<![A-Z]/i, () => '>'],
] as const;
/** Tags of blocks, and lines that are one tag. */
const BLOCK_HTML =
  /^ {0,3}<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|meta|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?: |\/?>|$)/i;
const LONE_TAG = /^ {0,3}<(?:[a-z][\w-]*(?:\s[^<>]*)?|\/[a-z][\w-]*\s*)>[ \t]*$/i;

/** A line between the header and the rows of a table. */
const DELIMITER = /^ {0,3}(?:\| *)?:?-+:? *(?:\| *:?-+:? *)*(?:\| *)?$/;
const CLOSING_FENCE = /^ {0,3}([`~]{3,}) *$/;

function closes({ in: kind, mark }: Extract<Construct, { mark: string }>, line: string): boolean {
  if (kind === 'raw html') return line.toLowerCase().includes(mark);
  return CLOSING_FENCE.exec(line)?.[1]?.startsWith(mark) ?? false;
}

function goesOnAfterBlank(construct: Construct, line: string): boolean {
  if (construct.in === 'indented code') return indentOf(line) >= 4;
  if (construct.in !== 'list') return false;
  return indentOf(line) >= construct.content || (ITEM.test(line) && !RULE.test(line));
}

function constructAfter(before: Construct, line: string): Construct {
  if (before.in === 'html') return before;
  if (before.in === 'list') {
    const isInItem = indentOf(line) >= before.content;
    const ends = [FENCE, HEADING, ANY_HTML, QUOTE, ITEM, RULE].some((pattern) => pattern.test(line));
    return isInItem || !ends ? before : inSameList(before.item, constructAfter(NOTHING, line));
  }
  const isParagraph = before.in === 'paragraph';
  if (!isParagraph && indentOf(line) >= 4) return { in: 'indented code' };
  const begun = begunConstruct(line, isParagraph);
  if (begun !== undefined) return begun;
  if (DELIMITER.test(line) && isParagraph && line.includes('|')) return { in: 'paragraph', table: 1 };
  if (HEADING.test(line) || RULE.test(line)) return NOTHING;
  return isParagraph && before.table > 0 && !QUOTE.test(line) ? { ...before, table: before.table + 1 } : PARAGRAPH;
}

/** Returns the construct of an item with the number that follows the one before, if both belong to one list. */
function inSameList(before: ListItemMark, construct: Construct): Construct {
  if (construct.in !== 'list' || construct.item.sign !== before.sign || before.number === null) return construct;
  return { ...construct, item: { ...before, number: before.number + 1 } };
}

/** Returns the construct that a line begins, if that is a fence, a list or HTML. */
function begunConstruct(line: string, isParagraph: boolean): Construct | undefined {
  const [, fence] = FENCE.exec(line) ?? [];
  if (fence !== undefined) return { in: 'fence', mark: fence };
  for (const [open, close] of RAW_HTML) {
    const found = open.exec(line);
    if (found) return { in: 'raw html', mark: close(found[1] ?? '') };
  }
  if (BLOCK_HTML.test(line) || (!isParagraph && LONE_TAG.test(line))) return { in: 'html' };
  if (RULE.test(line) || !(isParagraph ? INTERRUPTING_ITEM : ITEM).test(line)) return undefined;
  const [, mark = '', rest = ''] = ITEM.exec(line) ?? [];
  const indent = rest.trim() === '' ? 1 : indentOf(rest);
  return {
    in: 'list',
    content: mark.length + (indent > 4 ? 1 : indent),
    empty: rest.trim() === '',
    item: { sign: mark.slice(-1), number: /\d/.test(mark) ? Number.parseInt(mark, 10) : null },
  };
}

/** Reports whether HTML ends behind its opening mark on the same line. */
const endsOnFirstLine = (mark: string, line: string) =>
  line
    .replace(/^ {0,3}<(?:!--|\?|!)?/, '')
    .toLowerCase()
    .includes(mark);

/** Returns the columns before the first other character. Tabs go to the next multiple of four. */
function indentOf(line: string): number {
  let column = 0;
  for (const character of line) {
    if (character === ' ') column += 1;
    else if (character === '\t') column += 4 - (column % 4);
    else break;
  }
  return column;
}
