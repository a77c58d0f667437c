import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventBody } from '../../base/event.ts';
import type { ContentPart } from '../../base/item.ts';
import type { Log, LogLine, OxbowLine } from '../../base/log.ts';
import { applyLine } from '../state/apply-line.ts';
import { createRecorder } from '../state/recorder.ts';
import { emptyState, type ThreadState } from '../state/thread-state.ts';
import type { Turn } from '../turn-setup.ts';
import { createInputQueue, takeQueued } from './input-queue.ts';

/** A change of a queue. */
type Step =
  | { readonly do: 'add' | 'edit'; readonly id: string; readonly text: string }
  | { readonly do: 'remove'; readonly id: string }
  /** Takes all inputs, or those with these ids. */
  | { readonly do: 'take'; readonly ids: readonly string[] | null };

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('add' as const), id, text: fc.string() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), id, text: fc.string() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), id }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('take' as const), ids: fc.option(fc.uniqueArray(id)) }) },
  ) satisfies fc.Arbitrary<Step>,
  { maxLength: 40 },
);

const content = (text: string): readonly ContentPart[] => [{ type: 'input_text', text }];

/** Returns the simplest queue: a map keeps the order of its keys. */
function createModel() {
  const waiting = new Map<string, string>();
  const said: string[] = [];
  return {
    said,
    queue: () => [...waiting].map(([key, text]) => ({ id: key, content: content(text) })),
    /** Reports whether the step did anything. For `take`, returns the number of inputs taken. */
    step(step: Step): boolean | number {
      if (step.do === 'take') {
        const ids = [...waiting.keys()].filter((key) => step.ids === null || step.ids.includes(key));
        for (const key of ids) said.push(waiting.get(key) ?? '');
        for (const key of ids) waiting.delete(key);
        return ids.length;
      }
      if (step.do === 'remove') return waiting.delete(step.id);
      if (waiting.has(step.id) === (step.do === 'add')) return false;
      waiting.set(step.id, step.text);
      return true;
    },
  };
}

const said = ({ history }: ThreadState) =>
  history.map((item) =>
    item.type === 'message' && item.content[0] && 'text' in item.content[0] ? item.content[0].text : null,
  );

/** Returns the lines that a step leaves. */
function linesOf(step: Step, state: ThreadState): readonly LogLine[] {
  if (step.do === 'take') {
    const taken = state.queue.filter((input) => step.ids === null || step.ids.includes(input.id));
    return taken.map((input) => ({
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: input.content },
      metadata: { queued: input.id },
    }));
  }
  // Includes changes without effect, because the log of another program may have them.
  if (step.do === 'remove') return [own({ kind: 'input.removed', id: step.id })];
  if (step.do === 'edit') return [own({ kind: 'input.edited', id: step.id, content: content(step.text) })];
  const waits = state.queue.some((input) => input.id === step.id);
  return waits ? [] : [own({ kind: 'input.queued', id: step.id, content: content(step.text) })];
}

const own = (payload: OxbowLine): LogLine => ({ type: 'oxbow', payload });

test('the lines of a queue fold to the queue', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const [state, model] = [emptyState(), createModel()];
      for (const step of all) {
        for (const line of linesOf(step, state)) applyLine(state, line);
        model.step(step);
        expect(state.queue).toEqual(model.queue());
      }
      expect(said(state)).toEqual(model.said);
    }),
  );
});

async function rounds(count = 0): Promise<void> {
  for (let n = 0; n < count; n++) await null;
}

/** Returns a queue on a log whose appends take these numbers of rounds of the loop. */
function createScene(delays: readonly number[]) {
  const state = emptyState();
  const lines: LogLine[] = [];
  const events: EventBody[] = [];
  let writes = 0;
  let ids = 0;
  const world = { uuid: () => `id-${++ids}` } as Turn['thread']['world'];
  const append = async (added: readonly LogLine[]) => {
    await rounds(delays[writes++ % delays.length]);
    lines.push(...added);
  };
  const recorder = createRecorder({ append, pipelined: false } as unknown as Log, state);
  const emit = (event: EventBody) => void events.push(event);
  const stop = new AbortController();
  const limits = { check() {} } as Turn['limits'];
  const turn = { ...recorder, state, emit, limits, signal: stop.signal, thread: { world } } as unknown as Turn;
  return { state, lines, events, stop, turn, queue: createInputQueue({ state, world, decide: recorder.decide, emit }) };
}

type Scene = ReturnType<typeof createScene>;

async function carryOut({ queue, turn }: Scene, step: Step): Promise<boolean | number> {
  if (step.do === 'take') return takeQueued(turn, step.ids === null ? undefined : new Set(step.ids));
  if (step.do === 'remove') return queue.remove(step.id);
  if (step.do === 'edit') return queue.edit(step.id, content(step.text));
  return queue.add(content(step.text), step.id).then(
    () => true,
    () => false,
  );
}

const delays = fc.array(fc.nat(12), { minLength: 1, maxLength: 7 });

describe('a queue on a log', () => {
  test('behaves like the model, step by step, and its log folds to it', async () => {
    await fc.assert(
      fc.asyncProperty(steps, delays, async (all, slow) => {
        const [scene, model] = [createScene(slow), createModel()];
        for (const step of all) expect(await carryOut(scene, step)).toBe(model.step(step));
        expect(scene.state.queue).toEqual(model.queue());
        expect(said(scene.state)).toEqual(model.said);
        expectFold(scene);
      }),
    );
  });

  test('changed concurrently loses nothing, and every result is true', async () => {
    await fc.assert(
      fc.asyncProperty(steps, delays, delays, async (all, slow, pauses) => {
        const scene = createScene(slow);
        const started: Promise<boolean | number>[] = [];
        for (const [n, step] of all.entries()) {
          started.push(carryOut(scene, step));
          await rounds(pauses[n % pauses.length]);
        }
        const answers = await Promise.all(started);
        // The order in the log is the order in which the changes happened.
        const model = createModel();
        const did = { add: 0, edit: 0, remove: 0, take: 0 };
        for (const step of scene.lines.flatMap(stepOf)) {
          expect(model.step(step), JSON.stringify(step)).toBe(step.do === 'take' ? 1 : true);
          did[step.do]++;
        }
        const told = { add: 0, edit: 0, remove: 0, take: 0 };
        for (const [n, { do: what }] of all.entries()) told[what] += Number(answers[n]);
        expect(told).toEqual(did);
        expect(scene.state.queue).toEqual(model.queue());
        expect(said(scene.state)).toEqual(model.said);
        expectFold(scene);
      }),
    );
  });

  test('is not changed by an interrupted turn', async () => {
    const scene = createScene([0]);
    await scene.queue.add(content('x'));
    scene.stop.abort(new Error('interrupted'));
    await expect(takeQueued(scene.turn)).rejects.toThrow('interrupted');
    expect(scene.state.queue).toHaveLength(1);
  });
});

function expectFold({ lines, state }: Scene): void {
  const folded = emptyState();
  for (const line of lines) applyLine(folded, line);
  expect(folded).toEqual(state);
}

function stepOf(line: LogLine): readonly Step[] {
  if (line.type === 'response_item') return [{ do: 'take', ids: [line.metadata?.queued ?? ''] }];
  if (line.type !== 'oxbow') return [];
  const { payload } = line;
  const textOf = ([part]: readonly ContentPart[]) => (part?.type === 'input_text' ? part.text : '');
  if (payload.kind === 'input.queued') return [{ do: 'add', id: payload.id, text: textOf(payload.content) }];
  if (payload.kind === 'input.edited') return [{ do: 'edit', id: payload.id, text: textOf(payload.content) }];
  return payload.kind === 'input.removed' ? [{ do: 'remove', id: payload.id }] : [];
}
