import { setImmediate as nextRound } from 'node:timers/promises';
import { homeCatalogue } from '../../app/threads/home-catalogue.ts';
import { readSeenLimits, type ThreadUsage, usageOfThread, usageOfThreads } from '../../app/threads/usage.ts';
import { addLedgers, EMPTY_LEDGER, type Ledger } from '../../base/ledger.ts';
import { type Config, loadConfig } from '../../config/load-config.ts';
import { keepHeapSmall } from '../../node-internals/keep-heap-small.ts';
import { printable } from '../../text/visible.ts';
import { formatHelp } from '../format-help.ts';
import { createOutput, print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { createStyle, wantsColor } from '../print/style.ts';
import { formatLimits } from '../usage/format-limits.ts';
import { formatRequests, formatThreads, formatTurns, type Page } from '../usage/format-usage.ts';

const options = {
  requests: { type: 'boolean', help: 'List each request of the thread' },
  all: { type: 'boolean', help: 'Count the threads of all folders' },
  since: { type: 'string', value: 'TIME', help: 'Count the turns of the last 12h, 7d (the default) or 4w' },
  json: { type: 'boolean', help: 'Print JSON' },
  cd: { type: 'string', short: 'C', value: 'DIR', help: 'Count the threads of this folder' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow usage [options] [THREAD]',
  about: `Shows the usage of a thread, turn by turn: requests, tokens, cost, time and bytes. THREAD is an id, the beginning of
one, or a name. Without THREAD, shows the recent usage of the threads of this folder, and the limits of accounts that
servers last reported.`,
  options,
  threadAfter: { usage: 'threads' } as const,
  example: 'oxbow usage --since 30d --all',
};

/** Runs `oxbow usage`, which prints the tokens, cost and time of threads. */
export async function run(argv: readonly string[]): Promise<number> {
  keepHeapSmall();
  const { values, positionals } = parseOptions('usage', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  const [thread, ...more] = positionals;
  if (more.length > 0) throw new UsageError(`oxbow usage takes one thread, not ${positionals.length}.`);
  const config = loadConfig(values.cd === undefined ? {} : { cwd: values.cd });
  const asked = { ...values, json: values.json ?? false };
  const output = createOutput(() => {});
  for (const text of await (thread === undefined ? ofThreads(config, asked) : ofThread(config, thread, asked))) {
    output.write(text);
    // Lets the output go out, so that a long table is not in memory as a whole.
    await nextRound();
  }
  await output.end();
  return 0;
}

interface UsageFlags {
  readonly json: boolean;
  readonly requests?: boolean;
  readonly all?: boolean;
  readonly since?: string;
}

async function ofThread(config: Config, reference: string, asked: UsageFlags): Promise<Iterable<string>> {
  for (const name of ['all', 'since'] as const)
    if (asked[name] !== undefined) throw new UsageError(`--${name} cannot be used with a thread.`);
  const usage = await usageOfThread(
    { text: reference },
    { store: homeCatalogue(config), turnsOnly: !asked.requests, onNotice },
  );
  if (asked.json) return threadJson(usage, asked.requests ?? false);
  return asked.requests ? formatRequests(usage, ownPage()) : formatTurns(usage, ownPage());
}

async function ofThreads(config: Config, asked: UsageFlags): Promise<Iterable<string>> {
  const { home, cwd } = config;
  if (asked.requests) throw new UsageError('--requests needs a thread.');
  const since = Date.now() - readSince(asked.since ?? '7d');
  const threads: ReturnType<typeof withoutRequests>[] = [];
  for await (const usage of usageOfThreads({
    store: homeCatalogue(config),
    since,
    turnsOnly: true,
    onNotice,
    ...(asked.all ? {} : { cwd }),
  }))
    threads.push(withoutRequests(usage));
  const total: Ledger = threads.map((thread) => thread.total).reduce(addLedgers, EMPTY_LEDGER);
  const limits = readSeenLimits(home);
  if (asked.json)
    return [`${JSON.stringify({ since: new Date(since).toISOString(), total, threads, limits }, null, 2)}\n`];
  const shown = formatLimits(limits, Date.now());
  if (threads.length > 0) return withEnd(formatThreads(threads, total, ownPage()), shown);
  return [
    `No thread of ${asked.all ? home : `${cwd} (--all includes other folders)`} has run since ${new Date(since).toISOString()}.\n${shown}`,
  ];
}

function* withEnd(texts: Iterable<string>, end: string): Generator<string> {
  yield* texts;
  yield end;
}

/** Yields the JSON text of a thread, turn by turn. */
function* threadJson({ threadId, name, turns, total }: ThreadUsage, withRequests: boolean): Generator<string> {
  const text = (value: unknown, indent: string) => JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
  yield `{\n  "threadId": ${text(threadId, '')},\n  "name": ${text(name, '')},\n  "turns": [`;
  for (let at = 0; at < turns.length; at += TURNS_AT_ONCE) {
    const some = turns.slice(at, at + TURNS_AT_ONCE).map((turn) => text(withRequests ? turn : turnOnly(turn), '    '));
    yield `${at === 0 ? '' : ','}\n    ${some.join(',\n    ')}`;
  }
  yield `${turns.length === 0 ? '' : '\n  '}],\n  "total": ${text(total, '  ')}\n}\n`;
}

const TURNS_AT_ONCE = 500;

/** Removes the requests, which may be thousands and were not asked for. */
function withoutRequests(usage: ThreadUsage) {
  return { ...usage, turns: usage.turns.map(turnOnly) };
}

function turnOnly({ requests: _, ...turn }: ThreadUsage['turns'][number]) {
  return turn;
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function readSince(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const ms = Number(digits) * (UNIT_MS[unit] ?? Number.NaN);
  if (ms > 0) return ms;
  throw new UsageError(`--since takes a time such as 12h, 7d or 4w, not "${text}".`);
}

function onNotice(notice: string): void {
  process.stderr.write(`note: ${printable(notice)}\n`);
}

function ownPage(): Page {
  const isTerminal = process.stdout.isTTY === true;
  const style = createStyle(wantsColor('auto', isTerminal, process.env.NO_COLOR));
  return { style, columns: isTerminal ? process.stdout.columns : undefined };
}
