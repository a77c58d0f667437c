import type { FileChangeItem } from '../../../../src/base/event.ts';
import type { Answer, Ask, Event } from '../../../../src/index.ts';
import { type ReplyPart, reply, type Script, say } from '../../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../../harness/library-scene.ts';
import type { ConfigTable } from '../../../harness/scripted-config.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface PatchRun extends LibraryScene {
  readonly asked: readonly Ask[];
  /** Returns the output of a call, as the model got it. */
  output(callId: string): string | undefined;
  /** Patches as they were shown, started and completed. */
  readonly shown: readonly { readonly type: string; readonly item: FileChangeItem }[];
  /** Diffs of the turn, in order. */
  readonly diffs: readonly string[];
}

export interface PatchRunOptions {
  readonly files?: Files;
  /** Adds files to the workspace; `at` returns the path of a file by its name. */
  readonly prepare?: (at: (name: string) => string) => void;
  readonly config?: ConfigTable;
  readonly ask?: (ask: Ask) => Answer;
}

/** Runs one turn in which the model makes these calls, a response each, and then says that it is done. */
export async function runPatches(
  responses: readonly (readonly ReplyPart[])[],
  options: PatchRunOptions = {},
): Promise<PatchRun> {
  const script: Script = [...responses.map((calls) => reply(...calls)), reply(say('done'))];
  const s = await libraryScene(script, { approval_policy: 'never', ...options.config });
  for (const [name, content] of Object.entries(options.files ?? {})) s.workspace.write(name, content);
  options.prepare?.((name) => s.workspace.file(name));
  const asked: Ask[] = [];
  const { ask } = options;
  const answer = async (question: Ask) => {
    asked.push(question);
    return ask?.(question) ?? 'denied';
  };
  const thread = await s.agent.startThread(s.threadOptions(ask ? { ask: answer } : {}));
  const { status } = await thread.run('go');
  await thread.close();
  if (status !== 'completed') throw new Error(`The turn did not end well: ${JSON.stringify(s.events.at(-1))}`);
  return {
    ...s,
    asked,
    output: (callId) => s.outputs(s.model.requests.length - 1).get(callId),
    shown: s.events.flatMap(patchItem),
    diffs: s.events.flatMap((event) => (event.type === 'turn.diff' ? [event.diff] : [])),
  };
}

function patchItem(event: Event) {
  if (event.type !== 'item.started' && event.type !== 'item.completed') return [];
  return event.item.type === 'file_change' ? [{ type: event.type, item: event.item }] : [];
}

/** Returns a patch of these sections. */
export function patch(...sections: string[]): string {
  return `*** Begin Patch\n${sections.map((section) => `${section}\n`).join('')}*** End Patch`;
}

/** Returns a pattern for the output of a call that changed these files, whatever its time. */
export function success(...lines: string[]): RegExp {
  return new RegExp(
    `^Exit code: 0\\nWall time: \\d+(\\.\\d)? seconds\\nOutput:\\n${summary(...lines).replace(/[.]/g, '\\$&')}$`,
  );
}

export function summary(...lines: string[]): string {
  return `Success. Updated the following files:\n${lines.map((line) => `${line}\n`).join('')}`;
}
