import type { RepairTool } from '../context.ts';
import { CHANNELS } from './channels.ts';
import { dialectConstruct } from './construct.ts';
import type { Dialect } from './dialect.ts';
import { DIALECTS } from './dialects/dialects.ts';
import { MarkerTable } from './marker-table.ts';
import { QUOTED_ELEMENTS } from './quoted-elements.ts';
import { Scanner } from './scanner.ts';
import type { Segment, TextScanner, TextScannerOptions } from './segment.ts';
import { THINK_TAGS } from './think-tags.ts';

/**
 * Finds calls and reasoning in a text that arrives in pieces. A piece without either comes back unchanged, and no more
 * is held back than may be part of a construct. Text before a block stays as it came. White space after a block, and at
 * the beginning of a message, is returned only if text follows.
 */
export function createTextScanner(options: TextScannerOptions, dialects = DIALECTS): TextScanner {
  const looksForCalls = options.textCalls && options.tools.size > 0;
  if (looksForCalls) return new Scanner(options, tableOf(dialects));
  if (options.channel === 'content' && options.thinking !== 'text') {
    return new Scanner({ ...options, tools: NO_TOOLS }, tableOf(NO_DIALECTS));
  }
  const type = options.channel === 'content' ? 'text' : 'reasoning';
  return {
    passes: (text, asked) => text !== '' && asked === type,
    push: (text) => (text === '' ? NOTHING : [{ type, text }]),
    end: () => NOTHING,
  };
}

const NO_TOOLS: ReadonlyMap<string, RepairTool> = new Map();
const NO_DIALECTS: readonly Dialect[] = [];
const NOTHING: readonly Segment[] = [];

const tables = new WeakMap<readonly Dialect[], MarkerTable>();

function tableOf(dialects: readonly Dialect[]): MarkerTable {
  let table = tables.get(dialects);
  if (table === undefined) {
    const quoted = dialects.length > 0 ? QUOTED_ELEMENTS : [];
    table = new MarkerTable([...THINK_TAGS, ...CHANNELS, ...quoted, ...dialects.map(dialectConstruct)]);
    tables.set(dialects, table);
  }
  return table;
}
