import { historyOf, messageOf } from '../history.ts';
import type { RefusedRequest, Rule } from './rule.ts';

/** The fields in which chat requests send reasoning back. */
export const REASONING_FIELDS: readonly string[] = ['reasoning_content', 'reasoning', 'reasoning_details'].map(
  (name) => `messages.*.${name}`,
);

/** E4: a server wants the reasoning of earlier turns back. */
export const missingReasoningRule: Rule = (request) => {
  const { refusal, compat } = request;
  if (!MISSING.some((pattern) => pattern.test(refusal.text))) return undefined;
  if (compat.sendReasoning === 'all' || !hasThoughtless(request)) return undefined;
  const dropFields = compat.dropFields.filter((path) => !REASONING_FIELDS.includes(path));
  return {
    patch: { sendReasoning: 'all', ...(dropFields.length < compat.dropFields.length && { dropFields }) },
    reason: 'The server wants the reasoning of earlier turns: it is sent back.',
  };
};

const MISSING: readonly RegExp[] = [
  /missing .?reasoning_content/i,
  /reasoning_content.{0,60}(?:is missing|must be (?:passed|provided|sent)|is required)/is,
];

/** Whether there is an answer of the model that was sent without its reasoning. */
function hasThoughtless({ wire, sent }: RefusedRequest): boolean {
  return historyOf(wire, sent).some((entry) => {
    const message = messageOf(wire, entry);
    return message?.role === 'assistant' && message.reasoning_content === undefined;
  });
}
