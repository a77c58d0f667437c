import type { RequestUsage, ThreadUsage, TurnUsage } from '../../app/threads/usage.ts';
import type { Ledger } from '../../base/ledger.ts';
import type { Usage } from '../../base/usage.ts';
import { printable } from '../print/printable.ts';
import type { Style } from '../print/style.ts';

type ShownTurn = Omit<TurnUsage, 'requests'>;
type ShownThread = Omit<ThreadUsage, 'turns'> & { readonly turns: readonly ShownTurn[] };

/** Returns the turns of a thread as a table, with their sum. */
export function formatTurns({ threadId, name, turns, total }: ShownThread, style: Style): string {
  const rows = turns.map((turn) => [
    turn.turn === null ? '-' : String(turn.turn),
    shorten(turn.input),
    ...figures(turn.ledger, turn),
  ]);
  const sum = ['', 'total', ...figures(total, sumOf(turns))];
  const title = name === null ? threadId : `${threadId} (${printable(name)})`;
  return `${title}\n${formatTable([['turn', 'input', ...FIGURES], ...rows, sum], { style, texts: [0, 1] })}${footnote(turns)}`;
}

/** Returns the requests of a thread as a table. */
export function formatRequests({ turns }: ThreadUsage, style: Style): string {
  const heading = ['turn', 'request', 'model', 'input', 'cached', 'output', 'reasoning', 'cost', 'retries', 'repairs'];
  const rows = turns.flatMap((turn) => turn.requests.map((request) => requestRow(turn, request)));
  return formatTable([[...heading, 'time', 'sent', 'received', 'error'], ...rows], { style, texts: [2, 13] });
}

/** Returns threads as a table, one a row, with their sum. */
export function formatThreads(threads: readonly ShownThread[], total: Ledger, style: Style): string {
  const rows = threads.map(({ threadId, name, turns, total }) => {
    const words = shorten(name ?? turns[0]?.input ?? '');
    return [threadId, words, String(turns.length), ...figures(total, sumOf(turns))];
  });
  const all = threads.flatMap(({ turns }) => turns);
  const sum = ['', 'total', String(all.length), ...figures(total, sumOf(all))];
  return `${formatTable([['thread', 'input', 'turns', ...FIGURES], ...rows, sum], { style, texts: [0, 1] })}${footnote(all)}`;
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

function shorten(text: string): string {
  const characters = [...printable(text)];
  return characters.length > WIDEST_INPUT ? `${characters.slice(0, WIDEST_INPUT - 1).join('')}…` : characters.join('');
}

/** Aligns the columns of a table. `texts` are the columns with texts. All others are figures, aligned to the right. */
function formatTable(
  rows: readonly (readonly string[])[],
  { style, texts }: { style: Style; texts: readonly number[] },
): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => [...(row[column] ?? '')].length))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, texts.includes(column)))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line, index) => `${index === 0 ? style.dim(line) : line}\n`).join('');
}

function pad(cell: string, width: number, left: boolean): string {
  const space = ' '.repeat(Math.max(0, width - [...cell].length));
  return left ? cell + space : space + cell;
}

function footnote(turns: readonly ShownTurn[]): string {
  const isOpen = turns.some(({ ledger, knownCost }) => ledger.cost === null && knownCost > 0);
  const isForeign = turns.some(({ complete }) => !complete);
  return [
    isOpen ? '+  part of the cost is unknown: a response broke off, or a model has no known price\n' : '',
    isForeign ? '-  unknown: another program wrote this turn\n' : '',
  ].join('');
}
