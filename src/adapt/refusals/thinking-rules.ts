import { isRecord } from '../../base/json-schema.ts';
import type { LearnerCompat, Lesson, RefusalRule, RefusedRequest } from './rule.ts';

/**
 * Recognises a server that accepts only the other form in which a request says how much the model thinks, or none (G15).
 * The form is changed once: a server that refuses both gets neither.
 */
export const thinkingRule: RefusalRule = (request) => {
  const { rules, refusal, compat, sent } = request;
  if (!rules.saysHowToThink) return undefined;
  const says = (patterns: readonly RegExp[]) => patterns.some((pattern) => pattern.test(refusal.text));
  const form = formOf(request);
  const wanted = WANTED.find((one) => says(one.says));
  if (form === 'budget' && says(NO_THOUGHTS)) return compat.thinkingForm === 'as_sent' ? THOUGHTLESS : undefined;
  if (wanted !== undefined) return form === wanted.form ? undefined : wanting(wanted, compat);
  if (says(NO_THINKING) && isRecord(sent.thinking)) return NOTHING;
  if (!says(NO_EFFORT)) return undefined;
  return form === 'adaptive' ? wanting(BUDGET, compat) : withoutEffort(compat);
};

function wanting({ form, reason }: Wanted, { thinkingForm }: LearnerCompat): Lesson {
  return thinkingForm === 'as_sent' ? { patch: { thinkingForm: form }, reason } : NOTHING;
}

/** Words of servers that want the thoughts of a turn back, or no thoughts in the rest of the turn. */
const NO_THOUGHTS = [/expected .?thinking.? or .?redacted_thinking.?, but found/i];

const THOUGHTLESS: Lesson = {
  patch: { thinkingForm: 'budget' },
  reason: 'The server wants the thoughts of a turn back: a turn that began without them goes on without thinking.',
};

/** Words of servers and models that cannot think. */
const NO_THINKING = [
  /does not support (?:extended )?thinking\b/i,
  /thinking.? is not (?:supported|available|enabled)/i,
];

/** Words of servers and models that may think, but know no effort. */
const NO_EFFORT = [/does not support (?:the )?.?effort/i, /effort.? (?:parameter )?is not (?:supported|available)/i];

function withoutEffort({ dropFields }: LearnerCompat): Lesson {
  return {
    patch: { dropFields: [...new Set([...dropFields, 'output_config.effort'])] },
    reason: 'The server does not take an effort: it is left out.',
  };
}

const NOTHING: Lesson = {
  patch: { thinkingForm: 'none' },
  reason: 'The server takes no word about thinking: the model decides by itself whether it thinks.',
};

function formOf({ sent: { thinking } }: RefusedRequest): 'adaptive' | 'budget' | undefined {
  const type = isRecord(thinking) ? thinking.type : undefined;
  if (type === 'adaptive') return 'adaptive';
  return type === 'enabled' ? 'budget' : undefined;
}

interface Wanted {
  readonly form: 'adaptive' | 'budget';
  readonly says: readonly RegExp[];
  readonly reason: string;
}

const BUDGET: Wanted = {
  form: 'budget',
  says: [
    /adaptive thinking is not supported/i,
    /input tag .?adaptive.? found/i,
    /thinking\.type.{0,40}adaptive.{0,40}(?:not supported|unsupported|invalid|unknown)/is,
  ],
  reason: 'The server wants a number of tokens for thinking: it is sent instead of an effort.',
};

const WANTED: readonly Wanted[] = [
  {
    form: 'adaptive',
    says: [/thinking\.type\.enabled.{0,8}is not supported/i, /use .{0,4}thinking\.type\.adaptive/i],
    reason: 'The server lets the model decide how much it thinks: an effort is sent instead of a number of tokens.',
  },
  BUDGET,
];
