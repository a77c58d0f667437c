import { isRecord } from '../../base/json-schema.ts';
import { frameValue } from '../../wire/framing/frames.ts';
import type { ProbeAnswer } from '../answer.ts';
import { type Check, note, ok } from '../check.ts';
import type { Finding } from '../finding.ts';

/** A property of streams that no repair reports, because nothing has to be repaired. */
interface StreamFact extends Pick<Finding, 'quirk' | 'what'> {
  isIn(answer: ProbeAnswer): boolean;
}

const FACTS: readonly StreamFact[] = [
  { quirk: 'F1', what: 'comments between events keep the connection alive', isIn: ({ body }) => /^:/m.test(body) },
  { quirk: 'F5', what: 'lines end with CR LF or CR', isIn: ({ body }) => /^(?:data|event):.*\r/m.test(body) },
  {
    quirk: 'A3',
    what: 'no finish reason key on chunks in the middle',
    isIn: ({ frames }) =>
      frames.some((frame) => choicesOf(frameValue(frame)).some((choice) => !('finish_reason' in choice))),
  },
  {
    quirk: null,
    what: 'the stream ends without an end mark',
    isIn: ({ frames, wire }) => frames.every((frame) => wire.edge.inspect(frame) !== 'end'),
  },
];

/** Looks at the answers so far for properties of their streams. */
export const stream: Check = {
  id: 'stream',
  asks: 0,
  async run(run) {
    const good = run.goodAnswers();
    const streamed = good.filter(({ repairs, frames }) => frames.length > 0 && repairs.every(({ id }) => id !== 'F13'));
    const found = FACTS.filter(({ isIn }) => streamed.some(isIn));
    for (const { quirk, what } of found) run.add({ quirk, what, handling: 'tolerated' });
    if (good.length > 0 && streamed.length === 0) return note('one body, although a stream was asked for');
    return found.length === 0 ? ok('events, with an end mark') : note(found.map(({ what }) => what).join('; '));
  },
};

function choicesOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return isRecord(value) && Array.isArray(value.choices) ? value.choices.filter(isRecord) : [];
}
