import type { Action, PatchChange } from '../../base/action.ts';
import type { Ask } from '../../base/event.ts';
import { visibleLine, visibleText } from '../../base/visible-text.ts';
import { gitDiff } from '../../patch/git-diff.ts';

/** An action as a question shows it. No character of it is hidden. */
export interface ActionText {
  /** The question, on one line. */
  readonly title: string;
  /** The whole action. */
  readonly body: string;
}

type Wording<A extends Action> = (action: A, ask: Ask) => ActionText;

/** Returns the action in question as a text for the person who decides about it. */
export function actionText(ask: Ask): ActionText {
  const word = WORDINGS[ask.action.kind] as Wording<Action>;
  return word(ask.action, ask);
}

/** Returns the script of a command that a shell reads, which is the part that people read and edit. */
export function scriptIn(action: Action): string | undefined {
  if (action.kind !== 'command' || action.argv.length !== 3) return undefined;
  const [, option, script] = action.argv;
  return option === '-c' || option === '-lc' ? script : undefined;
}

const WORDINGS: { readonly [K in Action['kind']]: Wording<Extract<Action, { readonly kind: K }>> } = {
  command(action, ask) {
    const script = scriptIn(action);
    if (script === undefined) return { title: `Run this command ${where(ask)}?`, body: ask.shown };
    const shell = visibleLine(action.argv.slice(0, 2).join(' '));
    return { title: `Run this with ${shell}, ${where(ask)}?`, body: visibleText(script) };
  },
  terminal_input: ({ terminalId }, ask) => ({
    title: `Type this into terminal ${terminalId}, which runs ${where(ask)}?`,
    body: ask.shown,
  }),
  patch: ({ changes }) => ({ title: 'Apply this patch?', body: changes.map(changeText).join('\n') }),
  read: (_, { shown }) => ({ title: 'Let the model read this file?', body: shown }),
  search: (_, { shown }) => ({ title: 'Search the web with this command, outside the sandbox?', body: shown }),
  mcp: ({ server }, { shown }) => ({
    title: `Call this tool of the MCP server "${visibleLine(server)}"?`,
    body: shown,
  }),
  mcp_elicitation: ({ server, question }, { shown }) => {
    const who = `The MCP server "${visibleLine(server)}"`;
    if (question.mode === 'url')
      return { title: `${who} asks you to visit an address. Have you done so?`, body: shown };
    return { title: `${who} asks for an answer. Send it the answers that it suggests?`, body: shown };
  },
  mcp_sampling: ({ server }, { shown }) => ({
    title: `Let the model write a message for the MCP server "${visibleLine(server)}"?`,
    body: shown,
  }),
  own: (_, { shown }) => ({ title: 'Call this tool?', body: shown }),
  plan: (_, { shown }) => ({ title: 'Accept this plan?', body: shown }),
};

const where = ({ sandboxed }: Ask) => (sandboxed ? 'in the sandbox' : 'outside the sandbox');

function changeText({ path, to, before, after }: PatchChange): string {
  const diff = gitDiff({ path, ...(to === undefined ? {} : { to }), before, after });
  return visibleText(diff === '' ? `${path} stays as it is` : diff).trimEnd();
}
