import { applyPatchFacts } from './apply-patch/facts.ts';
import { execCommandFacts } from './exec-command/facts.ts';
import type { ToolFacts } from './lazy-tool.ts';
import { localShellFacts } from './local-shell/facts.ts';
import { shellFacts } from './shell/facts.ts';
import { shellCommandFacts } from './shell-command/facts.ts';
import { unifiedExecFacts } from './unified-exec/facts.ts';
import { updatePlanFacts } from './update-plan/facts.ts';
import { viewImageFacts } from './view-image/facts.ts';
import { webSearchFacts } from './web-search/facts.ts';
import { writeStdinFacts } from './write-stdin/facts.ts';

/** Every built-in tool. Which of them the model is told about is chosen elsewhere; all are understood when called. */
export const BUILT_IN_FACTS = [
  execCommandFacts,
  writeStdinFacts,
  shellFacts,
  shellCommandFacts,
  localShellFacts,
  unifiedExecFacts,
  updatePlanFacts,
  applyPatchFacts,
  viewImageFacts,
  webSearchFacts,
] as const satisfies readonly ToolFacts[];

export type ToolName = (typeof BUILT_IN_FACTS)[number]['name'];
