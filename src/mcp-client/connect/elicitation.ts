import { isRecord, type JsonSchema } from '../../base/json-schema.ts';
import type { McpElicitation, McpElicitationAnswer } from '../../base/mcp-connection.ts';
import { schemaFaults } from '../../base/schema-faults.ts';

/** Returns the question in the parameters of `elicitation/create`, or undefined if they are not a question. */
export function readElicitation(params: unknown): McpElicitation | undefined {
  if (!isRecord(params)) return undefined;
  const { mode = 'form', requestedSchema, url, elicitationId } = params;
  const message = typeof params.message === 'string' ? params.message : '';
  if (mode === 'form' && isRecord(requestedSchema)) return { mode, message, schema: requestedSchema };
  if (mode !== 'url' || typeof url !== 'string') return undefined;
  return { mode, message, url, id: typeof elicitationId === 'string' ? elicitationId : '' };
}

/**
 * Returns an answer as the server accepts it: fields that the user left out have the defaults of the form. An answer
 * that does not fit the form is declined, because a server may trust the form.
 */
export function checkedAnswer(question: McpElicitation, answer: McpElicitationAnswer): McpElicitationAnswer {
  if (answer.action !== 'accept') return { action: answer.action };
  // The content of a sign-in by URL goes to that URL, never through the client.
  if (question.mode === 'url') return { action: 'accept' };
  const content = { ...defaultsOf(question.schema), ...answer.content };
  const faults = schemaFaults(question.schema, content, { unknown: 'refused' });
  return faults.length === 0 ? { action: 'accept', content } : { action: 'decline' };
}

function defaultsOf({ properties = {} }: JsonSchema): Record<string, unknown> {
  const withDefault = Object.entries(properties).filter(([, field]) => isRecord(field) && field.default !== undefined);
  return Object.fromEntries(withDefault.map(([name, field]) => [name, field.default]));
}
