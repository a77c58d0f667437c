import type { Action, PatchAction } from '../base/action.ts';
import type { ApprovalScope, PrefixLasts } from '../base/policy.ts';
import { quoteArgv } from '../shell/quote.ts';
import { patchFiles } from './patch-files.ts';

export interface ScopeContext {
  readonly action: Action;
  /** Whether the action runs in the sandbox. */
  readonly sandboxed: boolean;
  /** Project that the thread works in. */
  readonly project: string;
  /** Files that lasting rules are written to. */
  readonly files: Readonly<Record<Exclude<PrefixLasts, 'thread'>, string>>;
}

/** Returns a sentence for the user about the effect of an approval with this scope. */
export function describeScope(scope: ApprovalScope, { action, sandboxed, project, files }: ScopeContext): string {
  const where = sandboxed ? 'in the sandbox' : 'outside the sandbox';
  switch (scope.type) {
    case 'once':
      if (action.kind === 'patch') return `The patch is applied, this one time: it ${patchText(action)}.`;
      if (action.kind === 'mcp_elicitation') return 'The answer is sent to the MCP server.';
      if (action.kind === 'mcp_sampling') return 'The model writes the message, and the MCP server gets it.';
      return action.kind === 'command' ? `It runs ${where}, this one time.` : 'It is done, this one time.';
    case 'terminal':
      return action.kind === 'command'
        ? 'It runs outside the sandbox, this one time, and the model may type into it without asking.'
        : 'The model may type into this terminal without asking, as long as it runs.';
    case 'thread':
      return action.kind === 'patch'
        ? `These files may be changed and deleted without asking, until the thread ends: ${patchFiles(action).join(', ')}.`
        : `This very command runs in this folder ${where} without asking, until the thread ends.`;
    case 'tool':
      if (action.kind === 'own')
        return `The tool "${action.tool}" is called with any input without asking, until the thread ends.`;
      return action.kind === 'mcp'
        ? `The tool "${action.tool}" of the MCP server "${action.server}" is called with any input without asking, until the thread ends.`
        : 'It is done without asking, until the thread ends.';
    case 'prefix':
      return `Every command that begins with \`${quoteArgv(scope.prefix)}\` runs outside the sandbox without asking, whatever is typed into it, ${lastsText(scope.lasts)}.`;
  }

  function lastsText(lasts: PrefixLasts): string {
    if (lasts === 'thread') return 'until the thread ends';
    if (lasts === 'project') return `in ${project} from now on, as ${files.project} will say`;
    return `in every folder from now on, as ${files.always} will say`;
  }
}

const VERBS = { add: 'adds', update: 'changes', delete: 'deletes' } as const;

/** Returns what a patch does to each file, as a part of a sentence. */
export function patchText({ changes }: PatchAction): string {
  const parts = changes.map(({ type, path, to, before }) => {
    if (to !== undefined) return `moves ${path} to ${to}`;
    return `${type === 'add' && before !== null ? 'writes over' : VERBS[type]} ${path}`;
  });
  return parts.join(', ');
}
