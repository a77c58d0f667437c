import type { PatchAction } from '../../base/action.ts';
import type { ToolCode } from '../tool-entry.ts';
import { planPatch } from './plan-patch.ts';
import { readInput } from './read-input.ts';
import { endText, writePatch } from './write-patch.ts';

export const createTool = (): ToolCode => applyPatch;

/** Applies a patch to all of its files or to none. */
const applyPatch: ToolCode<PatchAction> = {
  plan: async (call, view) => planPatch(readInput(call), { cwd: view.cwd, escalate: false }, view),
  run: (action, environment) => writePatch(action, environment, endText),
};
