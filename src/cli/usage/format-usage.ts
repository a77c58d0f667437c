import type { RequestUsage, ThreadUsage, TurnUsage } from '../../app/threads/usage.ts';
import type { Ledger } from '../../base/ledger.ts';
import type { Usage } from '../../base/usage.ts';
import { printable } from '../../text/visible.ts';
import type { Style } from '../print/style.ts';

/** The place where tables are shown. */
export interface Page {
  readonly style: Style;
  /** Number of columns of the terminal. Undefined: lines may have any length. */
  readonly columns: number | undefined;
}

type ShownTurn = Omit<TurnUsage, 'requests'>;
type ShownThread = Omit<ThreadUsage, 'turns'> & { readonly turns: readonly ShownTurn[] };

/** Yields the turns of a thread as a table, with their sum. */
export function* formatTurns({ threadId, name, turns, total }: ShownThread, page: Page): Generator<string> {
  const title = name === null ? threadId : `${threadId} (${printable(name)})`;
  yield `${shortenTo(title, page.columns ?? Number.POSITIVE_INFINITY)}\n`;
  yield* formatTable({
    heading: ['turn', 'input', ...FIGURES],
    rows: turns,
    cellsOf: (turn) => [
      turn.turn === null ? '-' : String(turn.turn),
      shorten(turn.input),
      ...figures(turn.ledger, turn),
    ],
    sum: ['', 'total', ...figures(total, sumOf(turns))],
    texts: [0, 1],
    page,
  });
  yield footnote(turns);
}

/** Yields the requests of a thread as a table. */
export function formatRequests({ turns }: ThreadUsage, page: Page): Generator<string> {
  const heading = ['turn', 'request', 'model', 'input', 'cached', 'output', 'reasoning', 'cost', 'retries', 'repairs'];
  return formatTable({
    heading: [...heading, 'time', 'sent', 'received', 'error'],
    rows: turns.flatMap((turn) => turn.requests.map((request) => ({ turn, request }))),
    cellsOf: ({ turn, request }) => requestRow(turn, request),
    texts: [2, 13],
    page,
  });
}

/** Yields threads as a table, one a row, with their sum. */
export function* formatThreads(threads: readonly ShownThread[], total: Ledger, page: Page): Generator<string> {
  const all = threads.flatMap(({ turns }) => turns);
  yield* formatTable({
    heading: ['thread', 'input', 'turns', ...FIGURES],
    rows: threads,
    cellsOf: ({ threadId, name, turns, total }) => {
      const words = shorten(name ?? turns[0]?.input ?? '');
      return [threadId, words, String(turns.length), ...figures(total, sumOf(turns))];
    },
    sum: ['', 'total', String(all.length), ...figures(total, sumOf(all))],
    texts: [0, 1],
    page,
  });
  yield footnote(all);
}

const FIGURES = [
  ...['requests', 'input', 'cached', 'output', 'reasoning', 'cost'],
  ...['retries', 'repairs', 'in model', 'in tools', 'sent', 'received'],
];

type Known = Pick<TurnUsage, 'complete' | 'knownCost'>;

function figures(ledger: Ledger, { complete, knownCost }: Known): string[] {
  const { requests, retries, repairs, usage, cost, modelMs, toolMs, sentBytes, receivedBytes } = ledger;
  const own = (value: string) => (complete ? value : '-');
  return [
    own(String(requests)),
    ...tokens(usage),
    costText(cost, knownCost),
    own(String(retries)),
    own(String(repairs)),
    own(seconds(modelMs)),
    own(seconds(toolMs)),
    own(bytes(sentBytes)),
    own(bytes(receivedBytes)),
  ];
}

/** Returns the known part of a sum. */
function sumOf(turns: readonly ShownTurn[]): Known {
  const knownCost = turns.reduce((dollars, turn) => dollars + turn.knownCost, 0);
  return { complete: turns.length === 0 || turns.some(({ complete }) => complete), knownCost };
}

function requestRow({ turn }: TurnUsage, request: RequestUsage): string[] {
  const { usage, cost, retries, repairs, ms, sentBytes, receivedBytes, error, model } = request;
  return [
    String(turn),
    String(request.request),
    printable(model ?? '-'),
    ...(usage ? tokens(usage) : ['-', '-', '-', '-']),
    costText(cost, 0),
    String(retries),
    String(repairs),
    seconds(ms),
    bytes(sentBytes),
    bytes(receivedBytes),
    error ?? '',
  ];
}

function tokens(usage: Usage): string[] {
  const { inputTokens, cachedInputTokens, outputTokens, reasoningOutputTokens } = usage;
  return [inputTokens, cachedInputTokens, outputTokens, reasoningOutputTokens].map(grouped);
}

/** Returns a cost. A plus marks a sum of which only a part is known. */
function costText(cost: number | null, known: number): string {
  if (cost !== null) return dollars(cost);
  return known > 0 ? `${dollars(known)}+` : '-';
}

function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}

function grouped(count: number): string {
  if (count < 1000) return String(count);
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)}s`;
}

function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const [divisor, unit] = count < 999_950 ? [1e3, 'kB'] : count < 999_950_000 ? [1e6, 'MB'] : [1e9, 'GB'];
  return `${(count / divisor).toFixed(1)} ${unit}`;
}

const WIDEST_INPUT = 40;

/** Texts without characters that need a closer look. */
const PLAIN = /^[ -~]*$/;

function shorten(text: string): string {
  if (text.length <= WIDEST_INPUT && PLAIN.test(text)) return text;
  return shortenTo(printable(text), WIDEST_INPUT);
}

const ROWS_AT_ONCE = 500;

interface Table<Row> {
  readonly heading: readonly string[];
  readonly rows: readonly Row[];
  /** Returns the cells of a row. Called twice for each, since the cells of all rows may need much memory. */
  cellsOf(row: Row): readonly string[];
  readonly sum?: readonly string[];
  /** Columns with texts. All others are figures, aligned to the right. */
  readonly texts: readonly number[];
  readonly page: Page;
}

/**
 * Yields the lines of a table with aligned columns, many at a time. A table that is wider than the page has shorter texts;
 * if that is not enough, each row goes on in further lines. Figures are never cut.
 */
function* formatTable<Row>({ heading, rows, cellsOf, sum, texts, page }: Table<Row>): Generator<string> {
  const widths = heading.map(widthOf);
  const widen = (cells: readonly string[]) => {
    for (let column = 0; column < cells.length; column++)
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cells[column] ?? ''));
  };
  for (const row of rows) widen(cellsOf(row));
  if (sum) widen(sum);
  const layout = layOut(widths, texts, page.columns ?? Number.POSITIVE_INFINITY);
  const isText = heading.map((_, column) => texts.includes(column));
  const lineOf = (cells: readonly string[]) => {
    let lines = '';
    for (const [n, columns] of layout.lines.entries()) {
      let line = n === 0 ? '' : INDENT;
      for (const column of columns) {
        const width = layout.widths[column] ?? 0;
        const cell = isText[column] ? shortenTo(cells[column] ?? '', width) : (cells[column] ?? '');
        const space = ' '.repeat(Math.max(0, width - widthOf(cell)));
        line += `${column === columns[0] ? '' : GAP}${isText[column] ? cell + space : space + cell}`;
      }
      lines += `${line.trimEnd()}\n`;
    }
    return lines;
  };
  yield lineOf(heading).replace(/^.+$/gm, page.style.dim);
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    yield rows
      .slice(at, at + ROWS_AT_ONCE)
      .map((row) => lineOf(cellsOf(row)))
      .join('');
  if (sum) yield lineOf(sum);
}

const GAP = '  ';
const INDENT = '    ';
const NARROWEST_TEXT = 8;

/** Columns of each line of a row, and the widths of all columns. */
interface Layout {
  readonly lines: readonly (readonly number[])[];
  readonly widths: readonly number[];
}

function layOut(widths: readonly number[], texts: readonly number[], columns: number): Layout {
  const fitted = [...widths];
  for (const column of [...texts].reverse()) {
    const over = fitted.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - columns;
    const width = fitted[column] ?? 0;
    if (over > 0) fitted[column] = Math.max(Math.min(width, NARROWEST_TEXT), width - over);
  }
  const lines: number[][] = [[]];
  let used = 0;
  for (const [column, width] of fitted.entries()) {
    const line = lines.at(-1) ?? [];
    const needed = width + (line.length === 0 ? 0 : GAP.length);
    if (line.length > 0 && used + needed > columns) {
      lines.push([column]);
      used = INDENT.length + width;
    } else {
      line.push(column);
      used += needed;
    }
  }
  return { lines, widths: fitted };
}

function shortenTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return `${[...text].slice(0, Math.max(0, width - 1)).join('')}…`;
}

function widthOf(cell: string): number {
  return PLAIN.test(cell) ? cell.length : [...cell].length;
}

function footnote(turns: readonly ShownTurn[]): string {
  const isOpen = turns.some(({ ledger, knownCost }) => ledger.cost === null && knownCost > 0);
  const isForeign = turns.some(({ complete }) => !complete);
  return [
    isOpen ? '+  part of the cost is unknown: a response broke off, or a model has no known price\n' : '',
    isForeign ? '-  unknown: another program wrote this turn\n' : '',
  ].join('');
}
