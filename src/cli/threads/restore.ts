import { homeCatalogue } from '../../app/threads/home-catalogue.ts';
import { type RestoreReport, restoreThread } from '../../app/threads/snapshots.ts';
import { loadConfig } from '../../config/load-config.ts';
import { realWorld } from '../../config/real-world.ts';
import { quoteArgv } from '../../shell/quote.ts';
import { interruptSignal } from '../interrupt-signal.ts';
import { createOutput } from '../output.ts';
import { UsageError, wholeNumber } from '../parse-options.ts';
import { canAsk, confirm } from './confirm.ts';
import { formatDone, formatPlan } from './format-restore.ts';
import { parseVerb } from './parse-verb.ts';

const options = {
  turn: { type: 'string', value: 'N', help: 'Restore the files from before turn N' },
  tree: { type: 'string', value: 'NAME', help: 'Restore a snapshot by its name, as printed by an earlier restore' },
  'dry-run': { type: 'boolean', help: 'Show the changes without making them' },
  yes: { type: 'boolean', short: 'y', help: 'Do not ask' },
  json: { type: 'boolean', help: 'Print the changes as JSON' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow threads restore THREAD --turn N [--dry-run] [--yes] [--json]',
  about: `Restores the workspace of a thread to its state before a turn. Files that git ignores stay as they are. The current
state is kept first, and the command that brings it back is printed. Needs [snapshots] enabled = true in config.toml.`,
  options,
  example: 'oxbow threads restore 01a1dfaa-5614 --turn 3 --dry-run',
};

/** Runs `oxbow threads restore`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ name: 'restore', takes: ['THREAD'], help }, argv);
  if (!read) return 0;
  const { tree, yes = false, json = false, 'dry-run': dryRun = false } = read.values;
  const turn = wholeNumber('turn', read.values.turn);
  if ((turn === undefined) === (tree === undefined))
    throw new UsageError('oxbow threads restore takes either --turn or --tree. See oxbow threads restore --help.');
  if (!dryRun && !yes && !canAsk())
    throw new UsageError('oxbow threads restore asks before it writes. Pass --yes when no one can answer.');
  const thread = read.words[0] ?? '';
  const config = loadConfig();
  const parts = { config, world: realWorld(), store: homeCatalogue(config) };
  const interrupt = interruptSignal();
  const what = { ...(turn === undefined ? {} : { turn }), ...(tree === undefined ? {} : { tree }) };
  const restore = (dry: boolean) =>
    restoreThread(parts, { text: thread }, { ...what, dryRun: dry, signal: interrupt.signal });
  try {
    if (dryRun) return await print(await restore(true), json, formatPlan);
    if (!yes && !(await isWanted(await restore(true)))) return 1;
    const report = await restore(false);
    await print(report, json, (done) => formatResult(done, thread));
    return report.changes.some(({ failure }) => failure !== null) ? 1 : 0;
  } finally {
    interrupt.done();
  }
}

async function isWanted(plan: RestoreReport): Promise<boolean> {
  process.stderr.write(formatPlan(plan));
  if (plan.changes.length === 0 || (await confirm('Restore?'))) return true;
  process.stderr.write('Nothing was changed.\n');
  return false;
}

function formatResult(report: RestoreReport, thread: string): string {
  if (report.undo === null) return formatPlan(report);
  return formatDone(report, quoteArgv(['oxbow', 'threads', 'restore', thread, '--tree', report.undo]));
}

async function print(report: RestoreReport, json: boolean, format: (report: RestoreReport) => string): Promise<number> {
  const output = createOutput(() => {});
  output.write(json ? `${JSON.stringify(report, null, 2)}\n` : format(report));
  await output.end();
  return 0;
}
