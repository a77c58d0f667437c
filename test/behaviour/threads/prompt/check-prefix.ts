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

/** Splits the bytes themselves; only the beginnings of the parts are found by their names. */
function partsOf({ bytes, body }: RecordedRequest): Parts {
  const text = bytes.toString('utf8');
  const chat = body.messages !== undefined;
  const name = chat ? '"messages":[' : '"input":[';
  const from = text.indexOf(name) + name.length;
  const end = text.lastIndexOf('],"tools":');
  const to = end < 0 ? text.indexOf('],"stream":') : end;
  const [first, ...rest] = chat ? splitEntries(text.slice(from, to)) : ['', text.slice(from, to)];
  const tools = end < 0 ? '' : text.slice(end + '],"tools":'.length, text.lastIndexOf(',"tool_choice":'));
  return {
    model: text.slice(0, text.indexOf(',')),
    instructions: chat ? String(first) : text.slice(text.indexOf(','), from),
    history: `${rest.join(',')},`,
    tools,
  };
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
