import { isRecord } from '../base/json-schema.ts';
import { sameOr } from '../wire/fields/edit-fields.ts';
import type { Fields } from '../wire/fields/request-fields.ts';
import { adaptRequest } from './adapt-request.ts';
import type { AdaptRules } from './adapt-rules.ts';
import { historyOf } from './history.ts';
import { mayTeach } from './needs-adapting.ts';
import { contentRule } from './refusals/content-rule.ts';
import {
  outputLimitRule,
  stopsRule,
  tokenLimitRule,
  unknownFieldsRule,
  unknownNameRule,
} from './refusals/field-rules.ts';
import { readRefusal } from './refusals/read-refusal.ts';
import { missingReasoningRule } from './refusals/reasoning-rule.ts';
import type { CompatPatch, LearnerCompat, Lesson, RefusalRule } from './refusals/rule.ts';
import { TEXT_RULES } from './refusals/text-rules.ts';
import { thinkingRule } from './refusals/thinking-rules.ts';

/**
 * Returns the lesson of a refusal: settings that change how the same request is sent. Undefined if there is nothing new
 * to learn. A server that keeps refusing runs out of lessons, so retries cannot loop. `sent` is the body that the
 * server got, `compat` the settings under which it was adapted.
 */
export function learn(
  rules: AdaptRules | undefined,
  refusal: { readonly status: number; readonly body: string },
  sent: Fields,
  compat: LearnerCompat,
): Lesson | undefined {
  if (rules === undefined || !mayTeach(refusal.status)) return undefined;
  const request = { rules, sent, compat, refusal: readRefusal(refusal.body) };
  for (const rule of RULES) {
    const lesson = rule(request);
    if (lesson !== undefined && isNews(lesson.patch, request)) return lesson;
  }
  return undefined;
}

/** Rules in the order in which they are tried, the most specific first. */
const RULES: readonly RefusalRule[] = [
  missingReasoningRule,
  thinkingRule,
  outputLimitRule,
  ...TEXT_RULES,
  tokenLimitRule,
  contentRule,
  unknownNameRule,
  unknownFieldsRule,
  stopsRule,
];

interface Sent {
  readonly rules: AdaptRules;
  readonly sent: Fields;
  readonly compat: LearnerCompat;
}

/** Reports whether the request would differ under the new settings. */
function isNews(patch: CompatPatch, { rules, sent, compat }: Sent): boolean {
  if (patch.callIds !== undefined && compat.callIds !== 'nine' && hasOtherIds(rules, sent)) return true;
  if (patch.sendReasoning !== undefined && compat.sendReasoning !== patch.sendReasoning) return true;
  if (patch.parallelToolCalls === false && compat.parallelToolCalls !== false && sent.parallel_tool_calls !== false) {
    return true;
  }
  return differs(patch, compat) && adaptRequest(rules, sent, { ...compat, ...patch }).body !== sent;
}

function differs(patch: CompatPatch, compat: LearnerCompat): boolean {
  return Object.entries(patch).some(([name, value]) => {
    const known: unknown = compat[name as keyof CompatPatch];
    return Array.isArray(value) && Array.isArray(known) ? sameOr(known, value) !== known : value !== known;
  });
}

function hasOtherIds(rules: AdaptRules, sent: Fields): boolean {
  const ids = historyOf(rules, sent).filter(isRecord).flatMap(rules.callIds);
  return ids.some((id) => typeof id === 'string' && !/^[A-Za-z0-9]{9}$/.test(id));
}
