import type { Fields } from '../../wire/fields/request-fields.ts';
import type { AdaptRules } from '../adapt-rules.ts';
import { dropField } from '../steps/drop-fields.ts';
import type { Refusal } from './read-refusal.ts';
import { sentField, sentPath } from './sent-fields.ts';

/** Returns the paths of refused fields that the request has. */
export function refusedFields(rules: AdaptRules, refusal: Refusal, sent: Fields): readonly string[] {
  const placed = refusal.places.map((steps) => sentPath(sent, steps));
  const named = [...namesIn(refusal)].map((name) => sentField(rules, sent, name));
  return [...new Set([...placed, ...named])].filter((path) => path !== undefined).slice(0, MAX_FIELDS);
}

/** Reports whether a field can be dropped from the request. */
export function canDrop(rules: AdaptRules, sent: Fields, path: string): boolean {
  return dropField(rules, sent, path) !== sent;
}

const MAX_FIELDS = 16;

function* namesIn({ text, param, code }: Refusal): Iterable<string> {
  if (param !== undefined && code !== undefined && UNWANTED.has(code)) yield param;
  if (param !== undefined && code === 'unsupported_value' && OPTIONAL_SETTINGS.has(param)) yield param;
  for (const pattern of NAMING) {
    for (const [, list = ''] of text.matchAll(pattern)) {
      for (const [name] of list.matchAll(/[\w$.[\]-]+/g)) yield name.replace(/^\.+|\.+$/g, '');
    }
  }
}

const UNWANTED: ReadonlySet<string> = new Set(['unknown_parameter', 'unsupported_parameter', 'extra_forbidden']);

/** Settings that may fall back to the default of the server. */
const OPTIONAL_SETTINGS: ReadonlySet<string> = new Set(
  'temperature top_p top_k frequency_penalty presence_penalty seed logprobs top_logprobs reasoning_effort verbosity'.split(
    ' ',
  ),
);

const QUOTE = '[\'"`]?';
const NAME = '[\\w$.[\\]-]{1,120}';
/** One name, or several separated by commas. */
const NAMES = `${QUOTE}(${NAME}${QUOTE}(?:, ${QUOTE}${NAME}${QUOTE}){0,15})`;
const FIELD = '(?:parameter|argument|field|key|property|option)';

/** Phrases of servers that do not know a field. */
const NAMING: readonly RegExp[] = [
  `(?:unknown|unsupported|unrecognized|unexpected)(?: request| keyword| input)? ${FIELD}(?:s|\\(s\\))?(?: supplied| in object| in body)?:? ${NAMES}`,
  `${QUOTE}(${NAME})${QUOTE}:?\\s{1,20}extra inputs are not permitted`,
  `property ${NAMES} is (?:unsupported|not supported|not allowed|unknown)`,
  `extraneous key \\[(${NAME})\\]`,
  `\\(${NAMES} (?:was|were) unexpected\\)`,
  `does not support (?:the )?${FIELD}s?:? ${NAMES}`,
  `does not support (?:the )?${QUOTE}(${NAME})${QUOTE} ${FIELD}`,
  `${FIELD}s? not supported[^:\\n]{0,60}: ${NAMES}`,
  `${FIELD}s? ${NAMES} (?:is|are|was|were) (?:not (?:supported|allowed|permitted|recognized)|unsupported|unknown|unrecognized)`,
  `['"\`](${NAME})['"\`] is (?:deprecated|not (?:supported|allowed|permitted|a (?:valid|known|recognized) ${FIELD}))`,
].map((pattern) => new RegExp(pattern, 'gi'));
