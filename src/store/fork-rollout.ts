import { mkdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, UserError } from '../base/errors.ts';
import type { SessionMeta } from '../base/log.ts';
import { lineHead } from './line-head.ts';
import { rawLines } from './raw-lines.ts';
import { type RolloutMeta, readMeta } from './read-meta.ts';
import type { RolloutFile } from './rollout-files.ts';
import { encodeLine } from './rollout-line.ts';
import { type ScannedThread, scanTurns } from './scan-turns.ts';
import { unpackedRollout } from './unpack-rollout.ts';
import { createWaitingInputs } from './waiting-inputs.ts';

export interface Fork {
  readonly home: string;
  /** The thread to fork. It is only read. */
  readonly from: RolloutFile;
  /** The turn to go on after: its number, or its id; null: everything that there is. */
  readonly at: number | string | null;
  /** Where the new rollout is to lie. */
  readonly path: string;
  readonly now: number;
  /** The first line of the new rollout. */
  meta(parent: RolloutMeta): SessionMeta;
}

/**
 * Writes the rollout of a new thread that begins with the turns of another. Of the other's lines those are copied that its
 * history needs at that point: none before the last checkpoint. Throws `UserError`.
 */
export async function forkRollout({ home, from, at, path, now, meta }: Fork): Promise<void> {
  const source = await unpackedRollout(from.path);
  const parent = readMeta(source);
  if (!parent) throw new UserError(`${source} is damaged: its first line does not say what thread it is.`);
  const scanned = await scanTurns(home, source);
  const end = at === null ? scanned.lines : endOf(scanned, at, from.id);
  const start = scanned.bases.findLast((base) => base + 1 < end) ?? 0;
  const first = encodeLine({ type: 'session_meta', payload: meta(parent) }, 0, now);
  await writeWhole(path, async (file) => {
    await file.writeFile(first);
    await copyLines(file, rawLines(home, source), { start, end, now });
  });
}

/** The index after the last line of the turn. */
function endOf({ turns, lines }: ScannedThread, at: number | string, id: string): number {
  const turn = turns.find((one) => one.number === at || one.id === at);
  if (turn) return turn.end ?? lines;
  const [first, last] = [turns.at(0)?.number, turns.at(-1)?.number];
  if (first === undefined) throw new UserError(`The thread ${id} has no turns yet.`);
  const count = first === last ? `only the turn ${first}` : `the turns ${first} to ${last}`;
  throw new UserError(`The thread ${id} has no turn ${at}: it has ${count}.`);
}

/** The file appears when all of it is there. */
async function writeWhole(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const draft = `${path}.draft`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(draft, 'wx', 0o600);
    try {
      await write(file);
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof UserError) throw error;
    throw new UserError(`The fork cannot be written to ${path}: ${messageOf(error)}`);
  }
}

const WRITE_BYTES = 256 * 1024;

async function copyLines(
  file: FileHandle,
  lines: AsyncIterable<Buffer>,
  { start, end, now }: { start: number; end: number; now: number },
): Promise<void> {
  const waiting = createWaitingInputs();
  let index = 0;
  let ordinal = 1;
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const line of lines) {
    if (index >= end) break;
    if (index++ < start || lineHead(line, 0, line.length)?.type === 'session_meta') continue;
    waiting.see(line);
    const copy = renumbered(line, ordinal++);
    pieces.push(copy);
    size += copy.length;
    if (size < WRITE_BYTES) continue;
    await file.writeFile(Buffer.concat(pieces));
    pieces = [];
    size = 0;
  }
  // What waits in a thread to be said waits there, not in its forks.
  for (const id of waiting.ids()) {
    pieces.push(Buffer.from(encodeLine({ type: 'oxbow', payload: { kind: 'input.removed', id } }, ordinal++, now)));
  }
  await file.writeFile(Buffer.concat(pieces));
}

/** A copy of the line with its number in the new file; all else stays as it is, to the byte. */
function renumbered(line: Buffer, ordinal: number): Buffer {
  const [place, time] = /^(\{"timestamp":"[^"]*",)(?:"ordinal":\d+,)?/.exec(line.toString('latin1', 0, 100)) ?? [];
  if (place === undefined) return Buffer.concat([line, LINE_FEED]);
  return Buffer.concat([Buffer.from(`${time}"ordinal":${ordinal},`), line.subarray(place.length), LINE_FEED]);
}

const LINE_FEED = Buffer.from('\n');
