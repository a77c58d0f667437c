import { homeCatalogue } from '../../app/threads/home-catalogue.ts';
import { type ReplayReport, replayNamed } from '../../app/threads/replay.ts';
import { findHome } from '../../config/home.ts';
import { findTimezone } from '../../config/timezone.ts';
import { printable } from '../../text/visible.ts';
import { formatHelp } from '../format-help.ts';
import { print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';

const options = {
  json: { type: 'boolean', help: 'Print the report as a JSON object' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow replay [--json] THREAD',
  about: `Runs a thread again from its log, with the recorded answers of the model and outputs of calls, and compares the new
log with the old one, line by line. Nothing is sent or run. THREAD is an id, the beginning of one, a name, or the
path of a rollout file. The exit code is 1 when a line differs.`,
  options,
  threadAfter: { replay: 'threads' } as const,
  example: 'oxbow replay 01a1dfaa-5614',
};

/** Runs `oxbow replay`, which reports whether the engine reproduces the log of a thread. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('replay', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  const [thread, ...more] = positionals;
  if (thread === undefined || more.length > 0)
    throw new UsageError('Name one thread: oxbow replay THREAD. See oxbow replay --help.');
  const home = findHome(process.env);
  const store = homeCatalogue({ home, timezone: findTimezone(process.env) });
  const report = await replayNamed({ text: thread }, store, home);
  print(`${values.json ? JSON.stringify(report) : describe(report)}\n`);
  return report.reproduced ? 0 : 1;
}

function describe({ label, turns, requests, calls, divergence, notices }: ReplayReport): string {
  const folded = turns.folded === 0 ? '' : `, ${count(turns.folded, 'turn')} of other programs not replayed`;
  const what = `${count(turns.replayed, 'turn')}, ${count(requests, 'request')}, ${count(calls, 'call')}${folded}`;
  const lines = notices.map((notice) => `note: ${notice}`);
  if (!divergence) return printable([...lines, `reproduced: ${what}`].join('\n'));
  const where = divergence.label === label ? '' : ` of ${divergence.label}`;
  return printable(
    [
      ...lines,
      `diverged: line ${divergence.line}${where} ${divergence.reason}`,
      `  recorded: ${shortened(divergence.recorded)}`,
      `  replayed: ${shortened(divergence.came)}`,
      `before that: ${what}`,
    ].join('\n'),
  );
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

const LONGEST = 300;

function shortened(line: unknown): string {
  const text = line === null ? 'nothing' : JSON.stringify(line);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
