import type { RequestUsage, ThreadUsage, TurnUsage } from '../../app/threads/usage.ts';
import type { Ledger } from '../../base/ledger.ts';
import type { Usage } from '../../base/usage.ts';
import { printable } from '../print/printable.ts';
import type { Style } from '../print/style.ts';

type ShownTurn = Omit<TurnUsage, 'requests'>;
type ShownThread = Omit<ThreadUsage, 'turns'> & { readonly turns: readonly ShownTurn[] };

/** Yields the turns of a thread as a table, with their sum. */
export function* formatTurns({ threadId, name, turns, total }: ShownThread, style: Style): Generator<string> {
  yield name === null ? `${threadId}\n` : `${threadId} (${printable(name)})\n`;
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
    style,
  });
  yield footnote(turns);
}

/** Yields the requests of a thread as a table. */
export function formatRequests({ turns }: ThreadUsage, style: Style): Generator<string> {
  const heading = ['turn', 'request', 'model', 'input', 'cached', 'output', 'reasoning', 'cost', 'retries', 'repairs'];
  return formatTable({
    heading: [...heading, 'time', 'sent', 'received', 'error'],
    rows: turns.flatMap((turn) => turn.requests.map((request) => ({ turn, request }))),
    cellsOf: ({ turn, request }) => requestRow(turn, request),
    texts: [2, 13],
    style,
  });
}

/** Yields threads as a table, one a row, with their sum. */
export function* formatThreads(threads: readonly ShownThread[], total: Ledger, style: Style): Generator<string> {
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
    style,
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
  const characters = [...printable(text)];
  return characters.length > WIDEST_INPUT ? `${characters.slice(0, WIDEST_INPUT - 1).join('')}…` : characters.join('');
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
  readonly style: Style;
}

/** Yields the lines of a table with aligned columns, many at a time. */
function* formatTable<Row>({ heading, rows, cellsOf, sum, texts, style }: Table<Row>): Generator<string> {
  const widths = heading.map(widthOf);
  const widen = (cells: readonly string[]) => {
    for (let column = 0; column < cells.length; column++)
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cells[column] ?? ''));
  };
  for (const row of rows) widen(cellsOf(row));
  if (sum) widen(sum);
  const isText = heading.map((_, column) => texts.includes(column));
  const lineOf = (cells: readonly string[]) => {
    let line = '';
    for (let column = 0; column < cells.length; column++) {
      const cell = cells[column] ?? '';
      const space = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
      line += `${column === 0 ? '' : '  '}${isText[column] ? cell + space : space + cell}`;
    }
    return `${line.trimEnd()}\n`;
  };
  yield `${style.dim(lineOf(heading).trimEnd())}\n`;
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    yield rows
      .slice(at, at + ROWS_AT_ONCE)
      .map((row) => lineOf(cellsOf(row)))
      .join('');
  if (sum) yield lineOf(sum);
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
