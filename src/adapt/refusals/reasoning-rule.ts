import type { AdaptRules } from '../adapt-rules.ts';
import { historyOf } from '../history.ts';
import type { RefusalRule, RefusedRequest } from './rule.ts';

/** Returns the paths of the fields that return reasoning to the server. */
export function reasoningPaths({ history, reasoningFields }: AdaptRules): readonly string[] {
  return reasoningFields.map((name) => `${history}.*.${name}`);
}

/** Recognises a server that wants the reasoning of earlier turns back (E4). */
export const missingReasoningRule: RefusalRule = (request) => {
  const { rules, refusal, compat } = request;
  if (!MISSING.some((pattern) => pattern.test(refusal.text))) return undefined;
  if (compat.sendReasoning === 'all' || !lacksReasoning(request)) return undefined;
  const reasoning = reasoningPaths(rules);
  const dropFields = compat.dropFields.filter((path) => !reasoning.includes(path));
  return {
    patch: { sendReasoning: 'all', ...(dropFields.length < compat.dropFields.length && { dropFields }) },
    reason: 'The server wants the reasoning of earlier turns: it is sent back.',
  };
};

const MISSING: readonly RegExp[] = [
  /missing .?reasoning_content/i,
  /reasoning_content.{0,60}(?:is missing|must be (?:passed|provided|sent)|is required)/is,
];

/** Reports whether an answer of the model was sent without its reasoning. */
function lacksReasoning({ rules, sent }: RefusedRequest): boolean {
  const [name] = rules.reasoningFields;
  return historyOf(rules, sent).some((entry) => {
    const message = rules.messageOf(entry);
    return message?.role === 'assistant' && (name === undefined || message[name] === undefined);
  });
}
