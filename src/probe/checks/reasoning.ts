import { isRecord } from '../../base/json-schema.ts';
import { frameValue } from '../../wire/framing/frames.ts';
import type { ProbeAnswer } from '../answer.ts';
import { type Check, note, ok } from '../check.ts';
import type { ProbeRun } from '../probe-run.ts';

/** Looks where the answers so far have reasoning. */
export const reasoning: Check = {
  id: 'reasoning',
  asks: 0,
  async run(run) {
    const thinking = run.goodAnswers().filter(({ items }) => items.some(({ type }) => type === 'reasoning'));
    openThinking(run);
    const fields = new Set(thinking.flatMap(fieldsOf));
    if (fields.size > 0) return ok(`in ${[...fields].join(' and ')}`);
    if (run.findings.some(({ quirk }) => quirk === 'E2' || quirk === 'E3')) return note('in the text');
    return ok(thinking.length > 0 ? 'in items' : 'none seen');
  },
};

/** Sets `thinking` where every text of the server has only the closing tag. */
function openThinking(run: ProbeRun): void {
  const texts = run.goodAnswers().filter(({ text }) => text !== '');
  const isOpen = ({ repairs }: ProbeAnswer) => repairs.some(({ id }) => id === 'E3');
  if (texts.length < 2 || !texts.every(isOpen)) return;
  run.settle({
    compat: { thinking: 'open' },
    reason: 'Every answer begins with reasoning up to a closing tag: the text before the tag is reasoning.',
  });
}

/** Returns the names under which messages of an answer have reasoning. */
function fieldsOf({ frames, wire }: ProbeAnswer): readonly string[] {
  const names = wire.edge.adapt?.reasoningFields ?? [];
  return names.filter((name) => frames.some((frame) => hasField(frameValue(frame), name)));
}

function hasField(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((entry) => hasField(entry, name));
  if (!isRecord(value)) return false;
  return isFull(value[name]) || ['choices', 'delta', 'message'].some((key) => hasField(value[key], name));
}

function isFull(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}
