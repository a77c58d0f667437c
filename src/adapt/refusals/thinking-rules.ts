import { isRecord } from '../../base/json-schema.ts';
import type { RefusalRule, RefusedRequest } from './rule.ts';

/**
 * Recognises a server that accepts only the other form in which a request says how much the model thinks (G15). The form
 * is changed once: a server that refuses both gets neither.
 */
export const thinkingRule: RefusalRule = (request) => {
  const { rules, refusal, compat } = request;
  const wanted = WANTED.find(({ says }) => says.some((pattern) => pattern.test(refusal.text)));
  if (!rules.saysHowToThink || wanted === undefined || formOf(request) === wanted.form) return undefined;
  if (compat.thinkingForm === 'as_sent') return { patch: { thinkingForm: wanted.form }, reason: wanted.reason };
  return {
    patch: { dropFields: [...new Set([...compat.dropFields, 'thinking'])] },
    reason: 'The server refuses every form of thinking: the model decides by itself whether it thinks.',
  };
};

function formOf({ sent: { thinking } }: RefusedRequest): 'adaptive' | 'budget' | undefined {
  const type = isRecord(thinking) ? thinking.type : undefined;
  if (type === 'adaptive') return 'adaptive';
  return type === 'enabled' ? 'budget' : undefined;
}

const WANTED = [
  {
    form: 'adaptive',
    says: [/thinking\.type\.enabled.{0,8}is not supported/i, /use .{0,4}thinking\.type\.adaptive/i],
    reason: 'The server lets the model decide how much it thinks: an effort is sent instead of a number of tokens.',
  },
  {
    form: 'budget',
    says: [
      /adaptive thinking is not supported/i,
      /input tag .?adaptive.? found/i,
      /thinking\.type.{0,40}adaptive.{0,40}(?:not supported|unsupported|invalid|unknown)/is,
    ],
    reason: 'The server wants a number of tokens for thinking: it is sent instead of an effort.',
  },
] as const;
