import { visibleText } from '../base/visible-text.ts';
import { expandTabs } from '../text/cells.ts';
import { type Line, span } from '../text/span.ts';
import { visible } from '../text/visible.ts';
import { codeRow, fenceRow, type OpenFence, openFence } from './code-line.ts';
import { type LineVerdict, SCAN_START, type ScanState, scanLine } from './scan-lines.ts';

/** A part of a document that no later text changes. */
export interface MarkdownBlock {
  /** Source of the block, without the blank lines before and after it. */
  readonly source: string;
  /** Whether a blank line stands before the block, in the document or because the block before ends like code. */
  readonly isApart: boolean;
  /** Number of the item that the block begins with, if the list began in an earlier block. */
  readonly number?: number;
  /** Lines of earlier blocks that define addresses. */
  readonly definitions?: string;
}

/** A finished part of a document. */
export type MarkdownPart =
  | { readonly kind: 'block'; readonly block: MarkdownBlock }
  /** A line that is shown as it is: of a fence, or of a table that is too long to wait for. */
  | { readonly kind: 'code'; readonly line: Line; readonly source: string; readonly isApart: boolean };

/** The end of a document that may still change. */
export interface OpenBlock extends MarkdownBlock {
  /** `fence` for code, whose lines stay as they are. */
  readonly kind: 'fence' | 'list' | 'table' | 'text';
  /** The unfinished line of a fence in colours, if finished lines were given before. */
  readonly line?: Line;
}

/** A document that arrives in parts, as plain data. */
export interface OpenMarkdown {
  /** Whether lines of fences, items of lists and rows of long tables are given before their block ends. */
  readonly splits: boolean;
  readonly scan: ScanState;
  /** Finished lines of the open block. */
  readonly lines: string;
  /** Blank lines that belong to the open block only if it goes on. */
  readonly blanks: string;
  /** The last line, which may go on. */
  readonly partial: string;
  readonly isApart: boolean;
  /** Whether no part was given so far. */
  readonly isFresh: boolean;
  /** The fence whose lines are given one by one. */
  readonly fence: OpenFence | null;
  /** Number of the item that the open block begins with. */
  readonly number: number | null;
  readonly definitions: string;
}

/** A document before its first part. */
export const EMPTY_MARKDOWN: OpenMarkdown = {
  splits: true,
  scan: SCAN_START,
  lines: '',
  blanks: '',
  partial: '',
  isApart: false,
  isFresh: true,
  fence: null,
  number: null,
  definitions: '',
};

/** A document of which only whole blocks are given. */
export const WHOLE_MARKDOWN: OpenMarkdown = { ...EMPTY_MARKDOWN, splits: false };

/** Rows of a table that are waited for. The rows of a longer one are given as text. */
const MOST_TABLE_ROWS = 30;
/** More definitions than a person writes. Each block would carry them. */
const MOST_DEFINITION_CHARS = 10_000;
const DEFINITION = /^ {0,3}\[[^\]]+\]:.*$/gm;

/** A state and the parts that the last text finished. */
export interface PushedMarkdown {
  readonly state: OpenMarkdown;
  readonly parts: readonly MarkdownPart[];
}

/**
 * Adds a text to a document. Every line is looked at once, so the time depends on the length of the document and not on the
 * number of texts. The parts do not depend on how the document was split into texts.
 */
export function pushMarkdown(before: OpenMarkdown, delta: string): PushedMarkdown {
  // Joined without a look at the text before, since a line may arrive in thousands of texts.
  if (!delta.includes('\n')) return { state: { ...before, partial: before.partial + delta }, parts: [] };
  const [first = '', ...rest] = delta.split('\n');
  const partial = rest.pop() ?? '';
  const parts: MarkdownPart[] = [];
  let state = before;
  for (const row of [before.partial + first, ...rest]) state = addLine(state, row, parts);
  return { state: { ...state, partial }, parts };
}

/** Returns the parts that are left when the document ends. */
export function endMarkdown(before: OpenMarkdown): readonly MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  const state = before.partial === '' ? before : addLine({ ...before, partial: '' }, before.partial, parts);
  if (state.fence !== null) parts.push(codePart(state, fenceRow(state.fence, 'close'), ''));
  finish(state, parts);
  return parts;
}

/** Returns the end of the document that was not given yet, as it is now. */
export function openBlock(state: OpenMarkdown): OpenBlock {
  const { lines, blanks, partial, fence } = state;
  const block = { ...blockOf(state), source: lines + blanks + partial, kind: kindOf(state.scan) };
  return fence === null ? block : { ...block, line: codeRow(fence, partial).row };
}

function kindOf({ construct }: ScanState): OpenBlock['kind'] {
  if (construct.in === 'fence' || construct.in === 'list') return construct.in;
  return construct.in === 'paragraph' && construct.table > 0 ? 'table' : 'text';
}

function addLine(before: OpenMarkdown, row: string, parts: MarkdownPart[]): OpenMarkdown {
  // A carriage return inside a line would be one more line to the lexer.
  const line = row.replace(/\r$/, '').replace(/\r/g, visibleText);
  const { state: scan, verdict } = scanLine(before.scan, line);
  if (before.fence !== null) return addCode({ ...before, scan }, before.fence, line, verdict, parts);
  const endsBefore = verdict.endsBefore || (before.splits && verdict.splitsBefore);
  const state = { ...(endsBefore ? finish(before, parts) : before), scan };
  if (line.trim() === '' && (state.lines === '' || verdict.endsAfter))
    // Blank lines between blocks belong to neither.
    return { ...(verdict.endsAfter ? finish(state, parts) : state), isApart: true, blanks: '' };
  if (state.splits && scan.construct.in === 'fence') return beginFence(state, line, parts);
  const added = withLine(state, line, endsBefore, verdict.isKept);
  if (verdict.endsAfter) return { ...finish(added, parts), isApart: true };
  const isLong = scan.construct.in === 'paragraph' && scan.construct.table > MOST_TABLE_ROWS;
  return state.splits && isLong ? finishAsText(added, parts) : added;
}

function withLine(state: OpenMarkdown, line: string, endsBefore: boolean, isKept: boolean): OpenMarkdown {
  const { construct } = state.scan;
  const isApart = state.isApart || (endsBefore && state.blanks !== '');
  const lines = endsBefore ? state.lines : state.lines + state.blanks;
  const number = lines === '' && construct.in === 'list' ? construct.item.number : state.number;
  if (line.trim() === '' && !isKept) return { ...state, isApart, lines, number, blanks: `${line}\n` };
  return { ...state, isApart, lines: `${lines}${line}\n`, number, blanks: '' };
}

function beginFence(state: OpenMarkdown, line: string, parts: MarkdownPart[]): OpenMarkdown {
  const fence = openFence(line);
  parts.push(codePart({ ...state, isApart: true }, fenceRow(fence, 'open'), line));
  return { ...state, fence, isApart: false, isFresh: false, blanks: '' };
}

function addCode(
  state: OpenMarkdown,
  fence: OpenFence,
  line: string,
  verdict: LineVerdict,
  parts: MarkdownPart[],
): OpenMarkdown {
  if (verdict.endsAfter) {
    parts.push(codePart(state, fenceRow(fence, 'close'), line));
    return { ...state, fence: null, isApart: true };
  }
  const coloured = codeRow(fence, line);
  parts.push(codePart(state, coloured.row, line));
  return { ...state, fence: coloured.fence };
}

/** Gives the lines of a table as they were written. */
function finishAsText(state: OpenMarkdown, parts: MarkdownPart[]): OpenMarkdown {
  for (const [index, line] of state.lines.replace(/\n$/, '').split('\n').entries()) {
    const isApart = index === 0 && state.isApart;
    parts.push(codePart({ ...state, isApart }, [span(expandTabs(visible(line)))], line));
  }
  return { ...state, lines: '', isApart: false, isFresh: false };
}

function codePart({ isApart, isFresh }: OpenMarkdown, line: Line, source: string): MarkdownPart {
  return { kind: 'code', line, source, isApart: isApart && !isFresh };
}

function finish(state: OpenMarkdown, parts: MarkdownPart[]): OpenMarkdown {
  const { lines, definitions } = state;
  if (lines === '') return state;
  parts.push({ kind: 'block', block: blockOf(state) });
  const found = lines.includes(']:') ? (lines.match(DEFINITION) ?? []).map((line) => `${line}\n`).join('') : '';
  return {
    ...state,
    lines: '',
    isApart: false,
    isFresh: false,
    number: null,
    definitions: definitions.length > MOST_DEFINITION_CHARS ? definitions : definitions + found,
  };
}

function blockOf({ lines, isApart, isFresh, splits, number, definitions }: OpenMarkdown): MarkdownBlock {
  return {
    source: lines,
    isApart: isApart && !(splits && isFresh),
    ...(splits && number !== null ? { number } : {}),
    ...(splits && definitions !== '' ? { definitions } : {}),
  };
}
