import { lazy, lazyMethods } from '../base/lazy.ts';
import type { Tool, ToolSpec } from '../base/tool.ts';
import { applyPatchFacts } from './apply-patch/facts.ts';
import { execCommandFacts } from './exec-command/facts.ts';
import { localShellFacts } from './local-shell/facts.ts';
import { shellFacts } from './shell/facts.ts';
import { shellCommandFacts } from './shell-command/facts.ts';
import type { ToolEntry, ToolSelection, ToolSettings } from './tool-entry.ts';
import { unifiedExecFacts } from './unified-exec/facts.ts';
import { updatePlanFacts } from './update-plan/facts.ts';
import { viewImageFacts } from './view-image/facts.ts';
import { webSearchFacts } from './web-search/facts.ts';
import { writeStdinFacts } from './write-stdin/facts.ts';

/** All built-in tools, in Codex's order. A call of any of them is understood, whether it was offered or not. */
export const BUILT_IN_TOOLS: readonly ToolEntry[] = [
  { ...execCommandFacts, load: () => import('./exec-command/tool.ts') },
  { ...writeStdinFacts, load: () => import('./write-stdin/tool.ts') },
  { ...shellFacts, load: () => import('./shell/tool.ts') },
  { ...shellCommandFacts, load: () => import('./shell-command/tool.ts') },
  { ...localShellFacts, load: () => import('./local-shell/tool.ts') },
  { ...unifiedExecFacts, load: () => import('./unified-exec/tool.ts') },
  { ...updatePlanFacts, load: () => import('./update-plan/tool.ts') },
  { ...applyPatchFacts, load: () => import('./apply-patch/tool.ts') },
  { ...viewImageFacts, load: () => import('./view-image/tool.ts') },
  { ...webSearchFacts, load: () => import('./web-search/tool.ts') },
];

export function createBuiltInTools(settings: ToolSettings): readonly Tool[] {
  return BUILT_IN_TOOLS.map(({ load, offer: _, ...facts }) => {
    const code = lazy(async () => (await load()).createTool(settings));
    return { ...facts, ...lazyMethods(code, ['plan', 'run']) };
  });
}

/** Returns the specs of the offered built-in tools. */
export function offeredSpecs(choice: ToolSelection): ToolSpec[] {
  return BUILT_IN_TOOLS.flatMap(({ offer, spec }) => {
    const offered = offer(choice);
    if (typeof offered !== 'boolean') return [offered];
    return offered ? [spec] : [];
  });
}
