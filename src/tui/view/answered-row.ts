import type { Action } from '../../base/action.ts';
import type { Ask, GivenAnswer } from '../../base/event.ts';
import type { ApprovalScope } from '../../base/policy.ts';
import { quoteArgv } from '../../shell/quote.ts';
import { shownCommand } from '../../shell/shown-command.ts';
import { cutText } from '../../text/fit-text.ts';
import { type Line, span } from '../../text/span.ts';
import { safeSpan } from './safe-row.ts';
import type { ViewOptions } from './view-options.ts';

/** Returns the row of a question that was answered, such as `approved once: $ git push`. */
export function answeredRow(ask: Ask, given: GivenAnswer, { columns }: Pick<ViewOptions, 'columns'>): Line {
  const { answer, scope = { type: 'once' }, message, action = ask.action } = given;
  const words = {
    approved: `approved ${scopeWords(scope)}`,
    denied: 'declined',
    aborted: 'declined, interrupted',
    edited: 'edited',
  };
  const said = message === undefined || message === '' ? '' : ` (${message})`;
  const text = safeSpan(`${words[answer]}: ${actionLine(action)}${said}`).text;
  return [span(cutText(text, Math.max(1, columns)), { color: 'muted' })];
}

function scopeWords(scope: ApprovalScope): string {
  if (scope.type === 'prefix') return `${LASTS[scope.lasts]} (${quoteArgv(scope.prefix)})`;
  return SCOPES[scope.type];
}

const LASTS = { thread: 'for this thread', project: 'in this project', always: 'always' } as const;
const SCOPES = {
  once: 'once',
  terminal: 'for this terminal',
  thread: 'for this thread',
  tool: 'for this tool',
} as const;

type Words = { readonly [K in Action['kind']]: (action: Extract<Action, { readonly kind: K }>) => string };

const WORDS: Words = {
  command: ({ argv }) => `$ ${shownCommand(argv)}`,
  terminal_input: ({ terminalId }) => `input for terminal ${terminalId}`,
  patch: ({ changes }) => `patch of ${changes.map(({ shown }) => shown).join(', ')}`,
  read: ({ shown }) => `read ${shown}`,
  search: ({ query }) => `search: ${query}`,
  mcp: ({ server, tool }) => `${server}.${tool}`,
  mcp_elicitation: ({ server }) => `question of ${server}`,
  mcp_sampling: ({ server }) => `message for ${server}`,
  own: ({ tool }) => tool,
  plan: () => 'plan',
};

/** Returns an action in a few words. */
function actionLine<A extends Action>(action: A): string {
  const word = WORDS[action.kind] as (action: A) => string;
  return word(action);
}
