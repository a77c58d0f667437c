import { reasoningPaths } from './reasoning-rule.ts';
import { canDrop, refusedFields } from './refused-fields.ts';
import type { CompatPatch, LearnerCompat, Lesson, RefusalRule } from './rule.ts';
import { sentField } from './sent-fields.ts';
import { withLimit } from './text-rules.ts';

/** Recognises a server that cannot find a field (G10). Inside a schema, the field is an unknown keyword. */
export const unknownNameRule: RefusalRule = ({ rules, refusal, sent, compat }) => {
  const named = [...refusal.text.matchAll(UNKNOWN_NAME)].map(([, name = '', place = '']) => ({ name, place }));
  if (named.length === 0) return undefined;
  const outside = named.filter(({ place }) => !/parameters|schema/i.test(place));
  const paths = outside.flatMap(
    ({ name, place }) => sentField(rules, sent, `${place}.${name}`) ?? sentField(rules, sent, name) ?? [],
  );
  const fields = paths.filter((path) => canDrop(rules, sent, path));
  if (fields.length > 0) return dropping(fields, compat);
  return {
    patch: withLimit(compat, 'plain'),
    reason: `The server does not know ${listed(named.map(({ name }) => name))} in schemas: basic keywords are sent.`,
  };
};

const UNKNOWN_NAME = /unknown name "([^"\n]{1,120})"(?: at '([^'\n]{0,300})')?: cannot find field/gi;

/** Recognises a server that knows only the other name of the token limit (G4). The third refusal drops the limit. */
export const tokenLimitRule: RefusalRule = ({ rules, refusal, sent, compat }) => {
  if (!rules.namesTokenLimit) return undefined;
  const refused = refusedFields(rules, refusal, sent);
  const useOther = /use .?max_completion_tokens/i.test(refusal.text) && Object.hasOwn(sent, 'max_tokens');
  if (useOther || refused.includes('max_tokens')) return renaming('max_completion_tokens', compat);
  return refused.includes('max_completion_tokens') ? renaming('max_tokens', compat) : undefined;
};

/** Names to try. Each is tried only after those before it, so that the trials end. */
const NAMES = ['as_sent', 'max_tokens', 'max_completion_tokens'] as const;

function renaming(name: 'max_tokens' | 'max_completion_tokens', compat: LearnerCompat): Lesson {
  const other = name === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (NAMES.indexOf(name) <= NAMES.indexOf(compat.maxTokens)) return dropping([other], compat);
  return { patch: { maxTokens: name }, reason: `The server does not take ${other}: the limit is sent as ${name}.` };
}

/** Recognises a server that accepts only a lower token limit (G16). */
export const outputLimitRule: RefusalRule = ({ rules, refusal, sent }) => {
  const limits = (rules.tokenLimits ?? []).map((name) => sent[name]).filter((limit) => typeof limit === 'number');
  const named = OUTPUT_LIMITS.map((pattern) => Number(pattern.exec(refusal.text)?.[1]?.replaceAll(/[,_]/g, '')));
  const maxOutputTokens = named.find((max) => max > 0 && limits.some((limit) => limit > max));
  if (maxOutputTokens === undefined) return undefined;
  return {
    patch: { maxOutputTokens },
    reason: `The server takes a token limit of at most ${maxOutputTokens}: a higher one is lowered.`,
  };
};

const OUTPUT_LIMITS: readonly RegExp[] = [
  /max_tokens: [\d,]{1,12} > ([\d,]{1,12})/i,
  /at most ([\d,]{1,12}) (?:completion|output) tokens/i,
  /range of .?max(?:_completion|_output)?_tokens.? is \[\d{1,12}, ?([\d,]{1,12})\]/i,
  /max(?:_completion|_output)?_tokens.{0,40}less than or equal to .?([\d,]{1,12})/is,
  /maximum (?:allowed )?(?:number of )?(?:output|completion) tokens.{0,40}?\b([\d,]{3,12})\b/is,
  /maximum tokens you requested exceeds the model limit of ([\d,]{1,12})/i,
];

/** Recognises a server that accepts fewer stop words (G14). */
export const stopsRule: RefusalRule = ({ rules, refusal, sent }) => {
  const stop = rules.stops === undefined ? undefined : sent[rules.stops];
  const count = Array.isArray(stop) ? stop.length : 0;
  if (count < 2 || !STOPS.test(refusal.text)) return undefined;
  const numbers = Array.from(refusal.text.matchAll(/\b\d{1,3}\b/g), ([digits]) => Number(digits));
  const usual = count > USUAL_STOPS ? USUAL_STOPS : 1;
  const maxStops = numbers.find((number) => number > 0 && number < count) ?? usual;
  return { patch: { maxStops }, reason: `The server takes fewer stop words: ${maxStops} at most are sent.` };
};

const USUAL_STOPS = 4;

const STOPS =
  /\bstop\b.{0,120}(?:too long|too many|at most|maximum|exceed|only|one|single|invalid|\d)|(?:\d|only|one|single).{0,60}\bstop\b/is;

/** Recognises a server that does not know some fields (G3, E5). */
export const unknownFieldsRule: RefusalRule = ({ rules, refusal, sent, compat }) => {
  const refused = refusedFields(rules, refusal, sent);
  if (refused.includes('tool_choice')) {
    return { patch: { toolChoice: 'omit' }, reason: 'The server does not take tool_choice: it is left out.' };
  }
  if (refused.some((path) => /^tools\.\*\.(?:function\.)?parameters\./.test(path))) {
    return {
      patch: withLimit(compat, 'plain'),
      reason: 'The server does not know a keyword in schemas: basic keywords are sent.',
    };
  }
  const fields = refused.filter((path) => canDrop(rules, sent, path));
  if (fields.length === 0) return undefined;
  const lesson = dropping(fields, compat);
  const reasoning = reasoningPaths(rules);
  const isReasoning = fields.some((path) => reasoning.includes(path));
  if (!isReasoning || compat.sendReasoning === 'all') return lesson;
  return { ...lesson, patch: { ...lesson.patch, sendReasoning: 'none' } };
};

function dropping(fields: readonly string[], { dropFields }: LearnerCompat): Lesson {
  const patch: CompatPatch = { dropFields: [...new Set([...dropFields, ...fields])] };
  return { patch, reason: `The server does not take ${listed(fields)}: such fields are left out.` };
}

function listed(names: readonly string[]): string {
  const some = [...new Set(names)].slice(0, 8).map((name) => name.slice(0, 80));
  return names.length > some.length ? `${some.join(', ')} and others` : some.join(', ');
}
