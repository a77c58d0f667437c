import type { Tool, ToolSpec } from '../base/tool.ts';
import { APPLY_PATCH_SPECS } from './apply-patch/facts.ts';
import { BUILT_IN_FACTS } from './built-in-facts.ts';
import { execCommandFacts } from './exec-command/facts.ts';
import { lazyTool, type ToolFacts } from './lazy-tool.ts';
import { localShellFacts } from './local-shell/facts.ts';
import { shellFacts } from './shell/facts.ts';
import { shellCommandFacts } from './shell-command/facts.ts';
import type { ToolCodes } from './tool-codes.ts';
import { unifiedExecFacts } from './unified-exec/facts.ts';
import { updatePlanFacts } from './update-plan/facts.ts';
import { viewImageSpec } from './view-image/facts.ts';
import { type HostedSearch, hostedSearchSpec, webSearchFacts } from './web-search/facts.ts';
import { writeStdinFacts } from './write-stdin/facts.ts';

/** `load` gives the code of all of them; it is called with the first call of any. */
export function createBuiltInTools(load: () => Promise<ToolCodes>): readonly Tool[] {
  return BUILT_IN_FACTS.map((facts) => lazyTool(facts, async () => (await load())[facts.name]));
}

/** Which tools run commands, by the name that `tools.command` in the config file gives. */
const COMMAND_TOOLS = {
  exec_command: [execCommandFacts, writeStdinFacts],
  shell: [shellFacts],
  shell_command: [shellCommandFacts],
  local_shell: [localShellFacts],
  unified_exec: [unifiedExecFacts],
} as const satisfies Record<string, readonly ToolFacts[]>;

/** What the model is told about. */
export interface Offer {
  readonly command: keyof typeof COMMAND_TOOLS;
  readonly updatePlan: boolean;
  readonly applyPatch: keyof typeof APPLY_PATCH_SPECS | null;
  readonly viewImage: { readonly originalImages: boolean } | null;
  /** By a command, by the server, or not at all. */
  readonly webSearch: 'command' | HostedSearch | null;
}

/** In the order in which Codex has them. */
export function offeredSpecs({ command, updatePlan, applyPatch, viewImage, webSearch }: Offer): ToolSpec[] {
  return [
    ...COMMAND_TOOLS[command].map(({ spec }) => spec),
    ...(updatePlan ? [updatePlanFacts.spec] : []),
    ...(applyPatch === null ? [] : [APPLY_PATCH_SPECS[applyPatch]]),
    ...(viewImage === null ? [] : [viewImageSpec(viewImage)]),
    ...(webSearch === null ? [] : [webSearch === 'command' ? webSearchFacts.spec : hostedSearchSpec(webSearch)]),
  ];
}
