import { resolve } from 'node:path';
import type { Action, CommandAction, PatchAction } from '../../base/action.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { View } from '../../base/tool.ts';
import { findPatch } from '../../shell/find-patch.ts';
import type { ToolCode } from '../tool-entry.ts';
import { planPatch } from './plan-patch.ts';
import { endText, type PatchEnd, writePatch } from './write-patch.ts';

/** Answers of the command tools to a command that was a patch. */
const ANSWERS = {
  /** Answer of exec_command: the output of the command below a header. */
  nested: (end) => `Wall time: 0.0000 seconds\nOutput:\n${endText(end)}`,
  json: ({ exitCode, seconds, text }) =>
    JSON.stringify({ output: text, metadata: { exit_code: exitCode, duration_seconds: seconds } }),
  text: endText,
} as const satisfies Record<string, (end: PatchEnd) => string>;

/**
 * Returns a command tool that recognises a command which only applies a patch. Such a command is planned, decided,
 * shown and written as a patch, without a process.
 */
export function interceptPatches<A extends Action>(
  code: ToolCode<A>,
  form: keyof typeof ANSWERS,
): ToolCode<A | PatchAction> {
  return {
    async plan(call, view) {
      const action = await code.plan(call, view);
      return (action.kind === 'command' ? await planIntercepted(action, view) : undefined) ?? action;
    },
    async run(action, environment) {
      return isPatch(action) ? writePatch(action, environment, ANSWERS[form]) : code.run(action, environment);
    },
  };
}

function isPatch(action: Action): action is PatchAction {
  return action.kind === 'patch';
}

async function planIntercepted(action: CommandAction, view: View): Promise<PatchAction | undefined> {
  const { argv, cwd, escalate, justification } = action;
  const found = findPatch(argv);
  if (found === undefined) return undefined;
  if (found.type === 'bare') throw new ToolFailure('parse', BARE_PATCH);
  const folder = found.cwd === undefined ? cwd : resolve(cwd, found.cwd);
  const options = { cwd: folder, escalate, ...(justification === undefined ? {} : { justification }) };
  return planPatch(found.patch, options, view);
}

const BARE_PATCH = `patch detected without explicit call to apply_patch: a patch alone is no command. Call the tool apply_patch with it, or run apply_patch <<'EOF' with the patch on the lines below and EOF behind it.`;
