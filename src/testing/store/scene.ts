import { ok, rejects } from 'node:assert/strict';
import { UserError } from '../../base/errors.ts';
import type { Log, LogLine, SessionMeta } from '../../base/log.ts';
import type { StoredLine, ThreadStore } from '../../base/thread-store.ts';

/** A store under test. Each case has its own, without threads. */
export interface StoreUnderTest {
  /** Opens the store for another owner. All owners share the threads. */
  open(): ThreadStore | Promise<ThreadStore>;
  /** Makes the owner of a thread count as gone, as if it had been silent for too long. */
  expire(id: string): void | Promise<void>;
  /** Called when the case is over. */
  close?(): void | Promise<void>;
}

/** Two owners of one store, with short functions for the cases. */
export interface StoreScene {
  readonly store: ThreadStore;
  /** The same threads for another owner. */
  readonly other: ThreadStore;
  expire(id: string): Promise<void>;
  /** Returns an id that is greater than all before. */
  newId(): string;
  /** Makes a thread with these lines after its first one. Its log is still open. */
  begin(lines?: readonly LogLine[], meta?: Partial<SessionMeta>): Promise<{ readonly id: string; readonly log: Log }>;
  /** Makes a thread that no owner has. */
  make(lines?: readonly LogLine[], meta?: Partial<SessionMeta>): Promise<string>;
}

export async function createStoreScene(subject: StoreUnderTest): Promise<StoreScene> {
  const store = await subject.open();
  let ids = 0;
  const scene: StoreScene = {
    store,
    other: await subject.open(),
    expire: async (id) => subject.expire(id),
    newId: () => `01a1dfaa-${(++ids).toString(16).padStart(4, '0')}-7981-86ac-d217a2d75c00`,
    async begin(lines = [], meta = {}) {
      const id = scene.newId();
      const log = store.create(id);
      await log.append([metaLine(id, meta)]);
      if (lines.length > 0) await log.append(lines);
      return { id, log };
    },
    async make(lines, meta) {
      const { id, log } = await scene.begin(lines, meta);
      await log.close();
      return id;
    },
  };
  return scene;
}

export function metaLine(id: string, more: Partial<SessionMeta> = {}): LogLine {
  return {
    type: 'session_meta',
    payload: {
      ...{ id, session_id: id, cwd: '/work', originator: 'test', cli_version: '1', source: 'exec' },
      timestamp: new Date().toISOString(),
      model_provider: 'scripted',
      history_mode: 'legacy',
      ...more,
    },
  };
}

export function said(text: string, role: 'user' | 'assistant' = 'user'): LogLine {
  const part = { type: role === 'user' ? ('input_text' as const) : ('output_text' as const), text };
  return { type: 'response_item', payload: { type: 'message', role, content: [part] } };
}

/** Returns the lines of a whole turn. */
export function turn(id: string, input = `input of ${id}`): readonly LogLine[] {
  return [
    { type: 'event_msg', payload: { type: 'task_started', turn_id: id } },
    context(id),
    said(input),
    said(`answer of ${id}`, 'assistant'),
    { type: 'event_msg', payload: { type: 'task_complete', turn_id: id, last_agent_message: `answer of ${id}` } },
  ];
}

export function context(turn_id: string): LogLine {
  const policies = { approval_policy: 'never', sandbox_policy: { type: 'read-only' }, summary: 'none' };
  return { type: 'turn_context', payload: { turn_id, cwd: '/work', model: 'some-model', ...policies } };
}

/** Returns the payloads of lines after a round trip through JSON. */
export function payloadsOf(lines: readonly LogLine[]): readonly unknown[] {
  return lines.map(({ payload }) => JSON.parse(JSON.stringify(payload)) as unknown);
}

/** A parsed stored line. */
export interface ParsedLine {
  readonly label: string;
  readonly number: number;
  readonly timestamp: string;
  readonly ordinal: number;
  readonly type: string;
  readonly payload: unknown;
}

/** Reads all stored lines. Parses their bytes at once, because they may change with the next line. */
export async function parseAll(lines: AsyncIterable<StoredLine>): Promise<readonly ParsedLine[]> {
  const parsed: ParsedLine[] = [];
  for await (const { label, number, bytes } of lines) {
    parsed.push({ label, number, ...(JSON.parse(bytes.toString('utf8')) as Omit<ParsedLine, 'label' | 'number'>) });
  }
  return parsed;
}

/** Returns the payloads of a thread's lines except the first. */
export async function readPayloads(store: ThreadStore, id: string): Promise<readonly unknown[]> {
  return (await parseAll(store.read(id))).slice(1).map(({ payload }) => payload);
}

export async function collect<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Fails unless work is refused with a `UserError`. */
export async function refused(work: () => Promise<unknown>, what: string): Promise<void> {
  await rejects(work, (error) => {
    ok(error instanceof UserError, `${what}: expected a UserError, got ${String(error)}`);
    return true;
  });
}
