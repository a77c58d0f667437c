import type { Token, Tokens } from 'marked';
import { expandTabs } from '../text/cells.ts';
import { type Line, PLAIN, type Span, type SpanStyle, span } from '../text/span.ts';
import { visible } from '../text/visible.ts';
import { wrapSpans } from '../text/wrap.ts';
import { codeRow, fenceRow, type OpenFence } from './code-line.ts';
import { START } from './colour-code.ts';
import { inlineSpans, type MarkdownLook } from './inline.ts';
import { type LinkNames, lexBlock } from './lex-block.ts';
import type { MarkdownBlock } from './push-markdown.ts';
import { renderTable } from './render-table.ts';

export interface RenderOptions extends MarkdownLook {
  /** Cells of a row. Lines of code stay whole, because a copied line must be the line that was written. */
  readonly width: number;
}

/** Returns the rows of a block. `names` has the addresses that earlier blocks define, and gets those of this one. */
export function renderBlock(block: MarkdownBlock, options: RenderOptions, names: LinkNames = {}): Line[] {
  const { source, number, definitions } = block;
  if (definitions !== undefined) lexBlock(definitions, names);
  const tokens = lexBlock(source, names);
  return renderTokens(number === undefined ? tokens : tokens.map((token, at) => numbered(token, at, number)), options);
}

/** Returns the first token with the number that its list goes on with. */
function numbered(token: Token, at: number, number: number): Token {
  return at === 0 && token.type === 'list' ? { ...token, start: number } : token;
}

/** Returns the rows of tokens. Blank lines of the source stay, and tables and code have blank lines around them. */
function renderTokens(tokens: readonly Token[], options: RenderOptions): Line[] {
  const rows: Line[] = [];
  let last: Token | undefined;
  let wasBlank = false;
  for (const token of tokens) {
    if (token.type === 'space') {
      wasBlank = true;
      continue;
    }
    const shown = renderToken(token as BlockToken, options);
    if (shown.length === 0) continue;
    const isApart =
      wasBlank || /\n[ \t]*\n$/.test(last?.raw ?? '') || [token, last].some((part) => part && APART.has(part.type));
    if (last && isApart) rows.push([]);
    rows.push(...shown);
    last = token;
    wasBlank = false;
  }
  return rows;
}

const APART: ReadonlySet<string> = new Set(['code', 'table']);

type BlockToken =
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.Text
  | Tokens.Code
  | Tokens.Blockquote
  | Tokens.List
  | Tokens.Hr
  | Tokens.HTML
  | Tokens.Table
  | Tokens.Checkbox
  | Tokens.Def;

function renderToken(token: BlockToken, options: RenderOptions): Line[] {
  switch (token.type) {
    case 'heading':
      return renderHeading(token, options);
    case 'paragraph':
      return wrapSpans(inlineSpans(token.tokens, options), options.width);
    case 'text':
    case 'checkbox':
      return wrapSpans(inlineSpans([token], options), options.width);
    case 'code':
      return renderCode(token);
    case 'blockquote':
      return prefixed(renderTokens(token.tokens, narrower(options, 2)), QUOTE, QUOTE);
    case 'list':
      return renderList(token, options);
    case 'hr':
      return [[span('───', MUTED)]];
    case 'table':
      return renderTable(token, options);
    case 'html':
      return htmlRows(token.raw).flatMap((row) => wrapSpans([span(row)], options.width));
    case 'def':
      return [];
  }
}

const MUTED: SpanStyle = { color: 'muted' };
const QUOTE: Line = [span('> ', MUTED)];

const narrower = (options: RenderOptions, cells: number): RenderOptions => ({
  ...options,
  width: Math.max(2, options.width - cells),
});

const HEADINGS: readonly SpanStyle[] = [{ bold: true, underline: true }, { bold: true }, { bold: true, italic: true }];

function renderHeading({ depth, tokens }: Tokens.Heading, options: RenderOptions): Line[] {
  const style = HEADINGS[Math.min(depth, HEADINGS.length) - 1] ?? PLAIN;
  const mark = span(`${'#'.repeat(depth)} `, { bold: true });
  return wrapSpans(inlineSpans(tokens, options, style), options.width, { indent: [mark], hanging: depth + 1 });
}

/** Returns the rows of code between the marks of a fence. */
function renderCode({ text, lang, codeBlockStyle, raw }: Tokens.Code): Line[] {
  const [mark = '```'] = (codeBlockStyle === 'indented' ? null : /`{3,}|~{3,}/.exec(raw)) ?? [];
  let fence: OpenFence = { mark, info: lang ?? '', indent: 0, colours: START };
  const code = codeBlockStyle === 'indented' ? text.replace(/\n+$/, '') : text;
  const rows = code.split('\n').map((line): Line => {
    const coloured = codeRow(fence, line);
    fence = coloured.fence;
    return coloured.row;
  });
  return [fenceRow(fence, 'open'), ...rows, fenceRow(fence, 'close')];
}

function renderList({ items, ordered, start, loose }: Tokens.List, options: RenderOptions): Line[] {
  const number = start === '' ? 1 : start;
  const marks = items.map((_, index) => (ordered ? `${number + index}.` : '-'));
  const cells = Math.max(...marks.map((mark) => mark.length)) + 1;
  return items.flatMap(({ tokens }, index) => {
    const [first, ...others] = tokens;
    const box = first?.type === 'checkbox' ? (first.checked ? '[x] ' : '[ ] ') : '';
    const rows = renderTokens(box === '' ? tokens : others, narrower(options, cells + box.length));
    const mark = (marks[index] ?? '').padStart(cells - 1).padEnd(cells);
    const prefix: Line = [span(mark, { color: 'accent' }), ...(box === '' ? [] : [span(box)])];
    const shown = prefixed(rows.length === 0 ? [[]] : rows, prefix, [span(' '.repeat(cells + box.length))]);
    return loose && index > 0 ? [[], ...shown] : shown;
  });
}

/** Returns rows with a text before the first and another one before the others. A blank row has no spaces. */
function prefixed(rows: readonly Line[], first: Line, rest: Line): Line[] {
  return rows.map((row, index) => {
    const prefix = index === 0 ? first : rest;
    return row.length > 0 ? [...prefix, ...row] : prefix.flatMap(trimmed);
  });
}

function trimmed({ text, style }: Span): Span[] {
  const shown = text.trimEnd();
  return shown === '' ? [] : [span(shown, style)];
}

const htmlRows = (html: string): string[] =>
  html
    .trimEnd()
    .split('\n')
    .map((row) => visible(expandTabs(row)));
