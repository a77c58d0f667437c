import { lazy, lazyMethods } from '../base/lazy.ts';
import type { BuiltInTool, Tool, ToolSpec } from '../base/tool.ts';
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

/** All built-in tools, in Codex's order. */
export const BUILT_IN_TOOLS: readonly ToolEntry[] = [
  { kind: 'shell', ...execCommandFacts, load: () => import('./exec-command/tool.ts') },
  { kind: 'shell', ...writeStdinFacts, load: () => import('./write-stdin/tool.ts') },
  { kind: 'shell', ...shellFacts, load: () => import('./shell/tool.ts') },
  { kind: 'shell', ...shellCommandFacts, load: () => import('./shell-command/tool.ts') },
  { kind: 'shell', ...localShellFacts, load: () => import('./local-shell/tool.ts') },
  { kind: 'shell', ...unifiedExecFacts, load: () => import('./unified-exec/tool.ts') },
  { kind: 'update_plan', ...updatePlanFacts, load: () => import('./update-plan/tool.ts') },
  { kind: 'apply_patch', ...applyPatchFacts, load: () => import('./apply-patch/tool.ts') },
  { kind: 'view_image', ...viewImageFacts, load: () => import('./view-image/tool.ts') },
  { kind: 'web_search', ...webSearchFacts, load: () => import('./web-search/tool.ts') },
];

/** Returns the built-in tools of the kinds that are on. A call of any of them is understood, whether it was offered or not. */
export function createBuiltInTools(settings: ToolSettings, isOn: (kind: BuiltInTool) => boolean): readonly Tool[] {
  return BUILT_IN_TOOLS.filter(({ kind }) => isOn(kind)).map(({ load, offer: _, kind: __, ...facts }) => {
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
