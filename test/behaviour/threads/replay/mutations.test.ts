import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { isRecord } from '../../../../src/base/json-schema.ts';
import { runs } from '../../../harness/runs.ts';
import { eventfulThread, type FileLine, readFileLines, replayLines } from './scene.ts';

/** Changes that a replay cannot notice, as `kind path`: see docs/replay.md. */
const UNSEEN = [
  // Values of the clock, or of the file that holds the line.
  /^\S+ (timestamp|ordinal|oxbow_more)$/,
  /^request\.ended payload\.ms$/,
  /^(response_item|call\.finished) (payload\.)?metadata\.duration_ms$/,
  // Values that a replay copies: they come from outside, or from code that does not run.
  /^session_meta payload\./,
  /^turn_context payload\.(cwd|effort|summary|approval_policy|sandbox_policy|oxbow_key_from)/,
  /^request\.ended payload\.(error|cost|retries|sent_bytes|received_bytes)$/,
  // An unknown kind is skipped, as a newer version's would be.
  /^(prefix\.changed|call\.finished|turn\.failed) payload\.kind$/,
  /^prefix\.changed payload\.(tools|instructions)$/,
  /^(call\.started|ask\.opened|ask\.answered|snapshot|repair) payload\./,
  /^(response_item|call\.finished) (payload\.)?metadata\.(success|failure)$/,
  /^turn\.failed payload\.message$/,
  /^checkpoint payload\.(tools|kept_tokens)$/,
  // Describes how a call looked, which no replay knows.
  /^item payload\./,
  // This thread edits or removes all of its queued input before it is sent.
  /^input\.queued payload\.content/,
  // Any value that is neither absent nor a list is read as absent.
  /^response_item payload\.content$/,
];

describe('a modified log is not reproduced:', () => {
  let lines: FileLine[] = [];
  let place: fc.Arbitrary<number> = fc.nat();

  // The first test creates the thread; all tests use its lines.
  beforeEach(async () => {
    if (lines.length > 0) return;
    lines = readFileLines((await eventfulThread()).path);
    place = fc.nat({ max: lines.length - 1 });
    expect(await replayLines(lines)).toMatchObject({ turns: { replayed: 5, folded: 0 }, divergence: null });
  });

  test('without any of its lines except the last', async () => {
    for (const index of lines.keys()) {
      const { divergence } = await replayLines(lines.toSpliced(index, 1));
      const isLast = index === lines.length - 1;
      expect(divergence === null, `without line ${index + 1}, ${kindOf(lines[index])}`).toBe(isLast);
    }
  });

  test('two lines swapped', async () => {
    await fc.assert(
      fc.asyncProperty(place, place, async (one, other) => {
        fc.pre(one !== other);
        const swapped = lines.with(one, lines[other] as FileLine).with(other, lines[one] as FileLine);
        expect((await replayLines(swapped)).divergence, `lines ${one + 1} and ${other + 1}`).not.toBeNull();
      }),
    );
  });

  test('a line written twice', async () => {
    await fc.assert(
      fc.asyncProperty(place, async (index) => {
        // Copies of threads begin twice, a process may die when a turn has just begun, and other programs may write
        // after a turn.
        fc.pre(!/^(session_meta|event_msg)$/.test(kindOf(lines[index])));
        const { divergence } = await replayLines(lines.toSpliced(index, 0, lines[index] as FileLine));
        expect(divergence, `line ${index + 1}, ${kindOf(lines[index])}`).not.toBeNull();
      }),
    );
  });

  test('a changed text, number or boolean', async () => {
    // The last response is in no later request.
    const last = lines.findLastIndex((line) => kindOf(line) === 'request.started');
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: last }), fc.nat(), async (index, chance) => {
        const line = structuredClone(lines[index]) as FileLine;
        const kind = kindOf(line);
        const path = changeLeaf(line, chance);
        fc.pre(!UNSEEN.some((pattern) => pattern.test(`${kind} ${path}`)));
        const { divergence } = await replayLines(lines.with(index, line));
        expect(divergence, `line ${index + 1}, ${kind}: ${path}`).not.toBeNull();
      }),
      { numRuns: runs(300) },
    );
  });

  test('but times may differ', async () => {
    const other = (line: FileLine) =>
      JSON.parse(
        JSON.stringify(line, (key, value) => {
          if (key === 'timestamp') return '2001-01-01T00:00:00.000Z';
          return key === 'ms' || key === 'duration_ms' ? value + 1 : value;
        }),
      ) as FileLine;
    expect((await replayLines(lines.map(other))).divergence).toBeNull();
  });
});

function kindOf(line: FileLine | undefined): string {
  return line?.type === 'oxbow' ? line.payload.kind : String(line?.type);
}

/** Changes one value in a line and returns its path. */
function changeLeaf(line: FileLine, chance: number): string {
  const leaves = leavesOf(line as unknown as Record<string, unknown>, '');
  const leaf = leaves[chance % leaves.length];
  leaf?.change();
  return leaf?.path ?? '';
}

interface Leaf {
  readonly path: string;
  change(): void;
}

function leavesOf(holder: Record<string, unknown>, path: string): Leaf[] {
  return Object.entries(holder).flatMap(([key, value]): Leaf[] => {
    const at = path === '' ? key : `${path}.${key}`;
    if (isRecord(value) || Array.isArray(value)) return leavesOf(value as Record<string, unknown>, at);
    const change = () => {
      holder[key] = changed(value);
    };
    return [{ path: at, change }];
  });
}

function changed(value: unknown): unknown {
  if (typeof value === 'string') return `${value}!`;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : 'something';
}
