import type { Action } from '../../base/action.ts';
import { cutMiddle } from '../../base/bound-text.ts';
import type { McpSampling, McpSamplingPart } from '../../base/mcp-connection.ts';

const MOST_BYTES = 4_096;

/** Returns an action for records and notes. Whole files and long messages do not belong there, and lose their middle. */
export function briefAction(action: Action): Action {
  if (action.kind === 'mcp_sampling') return { ...action, request: briefSampling(action.request) };
  if (action.kind !== 'patch') return action;
  const changes = action.changes.map((change) => ({
    ...change,
    before: brief(change.before),
    after: brief(change.after),
  }));
  return { ...action, changes };
}

function brief(text: string | null): string | null {
  return text === null ? null : cutMiddle(text, { unit: 'bytes', limit: MOST_BYTES });
}

function briefSampling(request: McpSampling): McpSampling {
  const briefPart = (part: McpSamplingPart): McpSamplingPart =>
    part.type === 'text' ? { ...part, text: brief(part.text) ?? '' } : { ...part, data: '' };
  const messages = request.messages.map((message) => ({ ...message, content: message.content.map(briefPart) }));
  return { ...request, systemPrompt: brief(request.systemPrompt), messages };
}
