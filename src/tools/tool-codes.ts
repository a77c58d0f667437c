import { interceptPatches } from './apply-patch/intercept.ts';
import { applyPatch } from './apply-patch/tool.ts';
import type { ToolName } from './built-in-facts.ts';
import { execCommand } from './exec-command/tool.ts';
import type { ToolCode } from './lazy-tool.ts';
import { createLocalShell } from './local-shell/tool.ts';
import type { OutputForm } from './shell/run-to-end.ts';
import { createShell } from './shell/tool.ts';
import { createShellCommand } from './shell-command/tool.ts';
import { createUnifiedExec } from './unified-exec/tool.ts';
import { updatePlan } from './update-plan/tool.ts';
import { viewImage } from './view-image/tool.ts';
import { createWebSearch } from './web-search/tool.ts';
import { createTerminalInput } from './write-stdin/terminal-input.ts';
import { createWriteStdin } from './write-stdin/tool.ts';

export type ToolCodes = Readonly<Record<ToolName, ToolCode>>;

export interface ToolSettings {
  /** How commands that ran to their end are told of; null: by each tool in its own way. */
  readonly shellOutput: OutputForm | null;
  /** The longest that a call may wait for a running command when it types nothing. */
  readonly maxPollMs: number;
  /** Program and words, some of which hold `{query}`. */
  readonly searchCommand: readonly string[] | null;
  /** Of the thread. */
  readonly cwd: string;
  /** As whom commands run. */
  user(): string;
}

/** What all built-in tools do when they are called. */
export function createToolCodes({ shellOutput, maxPollMs, searchCommand, cwd, user }: ToolSettings): ToolCodes {
  const words = shellOutput ?? 'json';
  const script = shellOutput ?? 'text';
  const input = createTerminalInput();
  const codes = {
    exec_command: interceptPatches(execCommand, 'nested'),
    write_stdin: createWriteStdin(maxPollMs, input),
    shell: interceptPatches(createShell(words), words),
    shell_command: interceptPatches(createShellCommand(script), script),
    local_shell: interceptPatches(createLocalShell({ form: words, user }), words),
    unified_exec: interceptPatches(createUnifiedExec(input), 'nested'),
    update_plan: updatePlan,
    apply_patch: applyPatch,
    view_image: viewImage,
    web_search: createWebSearch({ command: searchCommand, cwd }),
  } satisfies Record<ToolName, unknown>;
  // Each gets back the actions that it planned itself.
  return codes as unknown as ToolCodes;
}
