import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { RepairContext } from '../context.ts';
import type { RepairReporter } from '../report.ts';
import { repairChat } from './repair-chat.ts';

/**
 * The repair of this wire for the frames of another one. The other wire reads its frames as chunks that mean the same,
 * and writes its own frames from the outcomes.
 */
export interface BorrowedRepair<Step> {
  /** Accepts the next piece of the answer without a chunk, if it may go out unchanged. Otherwise nothing happens. */
  passesText(text: string): boolean;
  push(chunk: BorrowedChunk, step: Step): readonly Outcome<Step>[];
  end(): readonly Outcome<Step>[];
  isGivenUp(): boolean;
}

/** The value of a chunk, or the data of a frame that is not JSON. */
export type BorrowedChunk = Fields | string;

/**
 * Part of a repaired response. `same`: the chunk of this step needs no repair. `chunk`: made by the repair. `mark`: the
 * end mark, made by the repair.
 */
export type Outcome<Step> =
  | { readonly type: 'same'; readonly step: Step }
  | { readonly type: 'chunk'; readonly chunk: Fields }
  | { readonly type: 'mark' };

/** Opens the repair of chat for another wire. `words`: the finish signals in the words of that wire, for the reports. */
export function borrowRepair<Step>(
  context: RepairContext,
  reporter: RepairReporter,
  words: ReadonlyMap<string, string>,
): BorrowedRepair<Step> {
  const worded = (text: string) => words.get(text) ?? text;
  const chat = repairChat({
    ...context,
    onRepair(repair) {
      const { before, after } = repair;
      const isAboutFinish = repair.id.startsWith('A');
      const said = isAboutFinish ? { before: worded(before), after: worded(after) } : { before, after };
      context.onRepair({ ...repair, ...said, frame: reporter.frame });
    },
  });
  return {
    passesText: (text) => chat.passesText(text),
    push: (chunk, step) => chat.push(new StepFrame(chunk, step)).map(outcomeOf<Step>),
    end: () => chat.end().map(outcomeOf<Step>),
    isGivenUp: () => chat.isGivenUp?.() === true,
  };
}

/** Chunk that remembers the step it stands for. The repair passes on the same object where it changes nothing. */
class StepFrame<Step> implements Frame {
  readonly data: string;
  readonly json: unknown;
  readonly step: Step;

  constructor(chunk: BorrowedChunk, step: Step) {
    const isData = typeof chunk === 'string';
    this.data = isData ? chunk : '';
    this.json = isData ? undefined : chunk;
    this.step = step;
  }
}

function outcomeOf<Step>(frame: Frame): Outcome<Step> {
  if (frame instanceof StepFrame) return { type: 'same', step: frame.step };
  return isRecord(frame.json) ? { type: 'chunk', chunk: frame.json } : { type: 'mark' };
}

/** Returns a chunk with a delta of the answer. */
export function deltaChunk(delta: Fields): Fields {
  return { choices: [{ index: 0, delta, finish_reason: null }] };
}

/** Chunk that says nothing. It keeps its place among the others. */
export const SILENT_CHUNK: Fields = { choices: [] };
