import { expect } from 'vitest';
import type { LogLine } from '../../../../src/base/log.ts';
import type { PrefixCause } from '../../../../src/base/prefix-cause.ts';
import type { RecordedRequest } from '../../../../src/testing/index.ts';

/** Parts of a request's bytes, up to its settings. */
interface Parts {
  readonly model: string;
  readonly instructions: string;
  /** Entries, each followed by a comma. */
  readonly history: string;
  readonly tools: string;
}

/**
 * Checks that each request begins with the bytes of the one before, except for the causes that the lines between them
 * name, and that everything they name has really changed. Returns all causes, in their order.
 */
export function checkPrefix(requests: readonly RecordedRequest[], lines: readonly LogLine[]): PrefixCause[] {
  const causes = causesBefore(lines);
  expect(causes).toHaveLength(requests.length);
  const bodies = requests.map(partsOf);
  for (const [n, now] of bodies.entries()) {
    const before = bodies[n - 1];
    const changed = { before: causes[n] ?? [], request: n };
    if (before === undefined) expect(changed.before).toEqual(['start']);
    // A summary is asked for without any tools, and its source is gone afterwards.
    else if (asksForSummary(now)) expect(now.history.startsWith(before.history)).toBe(true);
    else if (!asksForSummary(before)) expectNone(differences(before, now, changed));
  }
  return causes.flat();
}

function expectNone(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.join('; '));
}

/** Returns the causes before each request. */
function causesBefore(lines: readonly LogLine[]): PrefixCause[][] {
  const all: PrefixCause[][] = [];
  let open: PrefixCause[] = [];
  for (const line of lines) {
    if (line.type !== 'oxbow') continue;
    if (line.payload.kind === 'prefix.changed') open.push(line.payload.cause);
    if (line.payload.kind !== 'request.started') continue;
    all.push(open);
    open = [];
  }
  return all;
}

function differences(
  before: Parts,
  now: Parts,
  { before: causes, request }: { before: PrefixCause[]; request: number },
) {
  const rows: readonly (readonly [string, boolean, readonly PrefixCause[]])[] = [
    ['model', before.model !== now.model, ['model']],
    ['instructions', before.instructions !== now.instructions, ['instructions']],
    ['tools', before.tools !== now.tools, ['tools']],
    ['history', !now.history.startsWith(before.history), ['compaction', 'images', 'rollback', 'reasoning']],
  ];
  return rows.flatMap(([what, differs, named]) => {
    const found = causes.filter((cause) => named.includes(cause));
    if (differs === found.length > 0) return [];
    return [
      `request ${request}: the ${what} ${differs ? 'has changed without a cause' : `is the same despite ${found}`}`,
    ];
  });
}

function asksForSummary({ tools }: Parts): boolean {
  return tools === '' || tools === '[]';
}

/** Splits the bytes themselves, so that the order of fields and the space between them count. */
function partsOf({ bytes }: RecordedRequest): Parts {
  const fields = rawFields(bytes.toString('utf8'));
  const list = (fields.get('input') ?? fields.get('messages') ?? '[]').slice(1, -1);
  const own = fields.get('instructions') ?? fields.get('system');
  const [first, rest] = own === undefined ? splitEntries(list) : [own, list];
  return {
    model: fields.get('model') ?? '',
    instructions: first,
    history: `${rest},`,
    tools: fields.get('tools') ?? '',
  };
}

/** Returns the texts of the fields of an object, by name. */
function rawFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let [depth, begin, isString] = [0, 1, false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isString && char === '\\') at++;
    else if (char === '"') isString = !isString;
    else if (isString) continue;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    const isEnd = !isString && (depth === 0 || (depth === 1 && char === ','));
    if (!isEnd) continue;
    const [, name = '', value = ''] = /^"([^"]*)":([\s\S]*)$/.exec(text.slice(begin, at)) ?? [];
    fields.set(name, value);
    begin = at + 1;
  }
  return fields;
}

/** Returns the first entry, and the rest. */
function splitEntries(text: string): readonly [string, string] {
  for (let at = text.indexOf('},{'); at >= 0; at = text.indexOf('},{', at + 1)) {
    try {
      JSON.parse(text.slice(0, at + 1));
      return [text.slice(0, at + 1), text.slice(at + 2)];
    } catch {
      // The bracket was inside a string.
    }
  }
  return [text, ''];
}
