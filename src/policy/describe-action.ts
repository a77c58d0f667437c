import type { Action, McpSamplingAction } from '../base/action.ts';
import { visibleLine, visibleText } from '../base/visible-text.ts';
import { quoteArgv } from '../shell/quote.ts';
import { patchText } from './describe-scope.ts';

/** Returns an action as a text for the person who decides about it. No character of it is hidden. */
export function describeAction(action: Action): string {
  switch (action.kind) {
    case 'command':
    case 'search':
      return visibleText(quoteArgv(action.argv));
    case 'terminal_input':
      return visibleLine(action.chars);
    case 'patch':
      return visibleLine(patchText(action));
    case 'read':
      return visibleLine(action.path);
    case 'mcp':
      return visibleLine(`${action.server}.${action.tool} ${JSON.stringify(action.input)}`);
    case 'mcp_elicitation':
      return visibleLine(
        action.question.mode === 'url' ? `${action.question.message} ${action.question.url}` : action.question.message,
      );
    case 'mcp_sampling':
      return visibleText(samplingText(action));
    case 'own':
      return visibleLine(`${action.tool} ${JSON.stringify(action.input)}`);
    case 'plan':
      return visibleText(action.steps.map(({ step }) => step).join('\n'));
  }
}

/** Returns the messages that a server wants the model to read, and the limit of the answer. */
function samplingText({ request: { systemPrompt, messages, maxTokens } }: McpSamplingAction): string {
  const lines = messages.map(({ role, content }) => {
    const parts = content.map((part) => (part.type === 'text' ? part.text : `[image, ${part.mimeType}]`));
    return `${role}: ${parts.join('\n')}`;
  });
  const system = systemPrompt === null ? [] : [`system: ${systemPrompt}`];
  return [...system, ...lines, `(at most ${maxTokens} tokens)`].join('\n');
}
