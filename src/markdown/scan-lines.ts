/** Effect of a line on the blocks of a document. */
export interface LineVerdict {
  /** Whether the block before is finished, and the line begins another one. */
  readonly endsBefore: boolean;
  /** Whether the line is the last one of its block. A blank line after a block is not part of the block. */
  readonly endsAfter: boolean;
  /** Whether a blank line is part of the block for certain. */
  readonly isKept: boolean;
}

export interface LineScanner {
  see(line: string): LineVerdict;
  /** Returns the kind of the block that is open. */
  kind(): 'fence' | 'list' | 'text';
}

/** The construct that the last line belongs to. */
type State =
  | { readonly in: 'nothing' | 'paragraph' | 'indented code' | 'html' }
  | { readonly in: 'fence'; readonly close: RegExp }
  /** HTML that may contain blank lines, up to a mark. */
  | { readonly in: 'raw html'; readonly close: RegExp }
  /** Lines that are indented by `content` belong to the last item. An `empty` item ends with a blank line. */
  | { readonly in: 'list'; readonly content: number; readonly empty: boolean };

const GOES_ON: LineVerdict = { endsBefore: false, endsAfter: false, isKept: false };
const KEPT: LineVerdict = { ...GOES_ON, isKept: true };
const ENDS_AFTER: LineVerdict = { ...GOES_ON, endsAfter: true };
const ENDS_BEFORE: LineVerdict = { ...GOES_ON, endsBefore: true };
const NOTHING: State = { in: 'nothing' };
const PARAGRAPH: State = { in: 'paragraph' };

/**
 * Returns a scanner that finds the ends of blocks line by line, at places where the lexer begins anew. Where both would be
 * possible a block goes on: two blocks in one are lexed well, half a block is not.
 */
export function createScanner(): LineScanner {
  let state: State = NOTHING;
  let afterBlank = false;

  function blank(): LineVerdict {
    if (state.in === 'fence' || state.in === 'raw html') return KEPT;
    if (state.in === 'list' || state.in === 'indented code') {
      if (state.in === 'list' && state.empty && !afterBlank) state = { in: 'list', content: Infinity, empty: true };
      afterBlank = true;
      return GOES_ON;
    }
    state = NOTHING;
    return ENDS_AFTER;
  }

  return {
    kind: () => (state.in === 'fence' || state.in === 'list' ? state.in : 'text'),
    see(line) {
      if (line.trim() === '') return blank();
      if (state.in === 'fence' || state.in === 'raw html') {
        if (!state.close.test(line)) return KEPT;
        state = NOTHING;
        return ENDS_AFTER;
      }
      const endsBefore = afterBlank && !goesOnAfterBlank(state, line);
      state = stateAfter(endsBefore ? NOTHING : state, line);
      afterBlank = false;
      // HTML that ends on the line where it begins.
      const endsAfter = state.in === 'raw html' && endsOnFirstLine(state.close, line);
      if (endsAfter) state = NOTHING;
      return { ...(endsBefore ? ENDS_BEFORE : GOES_ON), endsAfter };
    },
  };
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
  [/^ {0,3}<(script|pre|style|textarea)(?=[\s>]|$)/i, (tag: string) => new RegExp(`</${tag}>`, 'i')],
  [/^ {0,3}<!--/, () => /-->/],
  [/^ {0,3}<\?/, () => /\?>/],
  [/^ {0,3}<!\[CDATA\[/, () => /\]\]>/],
  [/^ {0,3}<![A-Z]/i, () => />/],
] as const;
/** Tags of blocks, and lines that are one tag. */
const BLOCK_HTML =
  /^ {0,3}<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|meta|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?: |\/?>|$)/i;
const LONE_TAG = /^ {0,3}<(?:[a-z][\w-]*(?:\s[^<>]*)?|\/[a-z][\w-]*\s*)>[ \t]*$/i;

function goesOnAfterBlank(state: State, line: string): boolean {
  if (state.in === 'indented code') return indentOf(line) >= 4;
  if (state.in !== 'list') return false;
  return indentOf(line) >= state.content || (ITEM.test(line) && !RULE.test(line));
}

function stateAfter(state: State, line: string): State {
  if (state.in === 'html') return state;
  if (state.in === 'list') {
    const isInItem = indentOf(line) >= state.content;
    const ends = [FENCE, HEADING, ANY_HTML, QUOTE, ITEM, RULE].some((pattern) => pattern.test(line));
    return isInItem || !ends ? state : stateAfter(NOTHING, line);
  }
  const isParagraph = state.in === 'paragraph';
  if (!isParagraph && indentOf(line) >= 4) return { in: 'indented code' };
  return begunState(line, isParagraph) ?? (HEADING.test(line) || RULE.test(line) ? NOTHING : PARAGRAPH);
}

/** Returns the state after a line that begins a fence, a list or HTML. */
function begunState(line: string, isParagraph: boolean): State | undefined {
  const [, fence] = FENCE.exec(line) ?? [];
  if (fence !== undefined) return { in: 'fence', close: new RegExp(`^ {0,3}${fence}[~\`]* *$`) };
  for (const [open, close] of RAW_HTML) {
    const found = open.exec(line);
    if (found) return { in: 'raw html', close: close(found[1] ?? '') };
  }
  if (BLOCK_HTML.test(line) || (!isParagraph && LONE_TAG.test(line))) return { in: 'html' };
  if (RULE.test(line) || !(isParagraph ? INTERRUPTING_ITEM : ITEM).test(line)) return undefined;
  const [, mark = '', rest = ''] = ITEM.exec(line) ?? [];
  const indent = rest.trim() === '' ? 1 : indentOf(rest);
  return { in: 'list', content: mark.length + (indent > 4 ? 1 : indent), empty: rest.trim() === '' };
}

/** Reports whether HTML ends behind its opening mark on the same line. */
const endsOnFirstLine = (close: RegExp, line: string) => close.test(line.replace(/^ {0,3}<(?:!--|\?|!)?/, ''));

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
