import type { RepairTool } from '../context.ts';
import { CHANNELS } from './channels.ts';
import { dialectConstruct } from './construct.ts';
import type { Dialect } from './dialect.ts';
import { DIALECTS } from './dialects/dialects.ts';
import { END_OF_CALLS } from './end-of-calls.ts';
import { MarkerTable } from './marker-table.ts';
import { QUOTED_ELEMENTS } from './quoted-elements.ts';
import { Scanner } from './scanner.ts';
import type { Segment, TextScanner, TextScannerOptions } from './segment.ts';
import { THINK_TAGS } from './think-tags.ts';

/**
 * Finds calls and reasoning in a text that arrives in pieces. A piece without either comes back unchanged, and no more
 * is held back than may be part of a construct. Blocks of calls are returned at the end of the text, if nothing but
 * calls followed the first of them; otherwise they are text. White space at the beginning of a message is returned only
 * if text follows.
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
    const ofCalls = dialects.length > 0 ? [...QUOTED_ELEMENTS, ...dialects.map(dialectConstruct), ...END_OF_CALLS] : [];
    table = new MarkerTable([...THINK_TAGS, ...CHANNELS, ...ofCalls]);
    tables.set(dialects, table);
  }
  return table;
}
