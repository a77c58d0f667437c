import { digestOf } from '../base/digest-of.ts';
import type { PrefixCause } from '../base/prefix-cause.ts';
import type { ToolSpec } from '../base/tool.ts';
import type { ThreadSetup, Turn } from './turn-setup.ts';
import { withoutImages } from './without-images.ts';

/** Notes that a turn's requests do not begin with the bytes of those before, with the causes. Once, at its start. */
export async function notePrefix(turn: Turn): Promise<void> {
  const { setup, state, previousModel } = turn;
  const before = chosenBefore(setup);
  const chosen = turn.baseInstructions ?? before;
  if (chosen !== undefined && chosen !== state.instructions) await note(turn, 'instructions', { instructions: chosen });
  const tools = toolsDigest(setup.tools.offered);
  if (state.tools === null) {
    await note(turn, 'start', { tools });
    return;
  }
  if (state.tools !== tools) await note(turn, 'tools', { tools });
  if (previousModel !== null && previousModel !== setup.request.model) {
    await note(turn, 'model');
    if (changesImages(turn, previousModel)) await note(turn, 'images');
  }
  if (state.rolledBack) await note(turn, 'rollback');
}

/** Notes that what the model thought before the user spoke goes with no request any more. Before each request. */
export async function noteForgotten(turn: Turn): Promise<void> {
  if (turn.setup.forgetsReasoning && turn.state.reasoning === 'past') await note(turn, 'reasoning');
}

export function digestText(digest: number): string {
  return digest.toString(36);
}

/** Threads that have had a turn in this process: what one of them brings counts until another one brings more. */
const begun = new WeakSet<ThreadSetup>();

/** What the user chose for a thread that goes on, at its first turn here. */
function chosenBefore(setup: ThreadSetup): string | undefined {
  if (begun.has(setup)) return undefined;
  begun.add(setup);
  return setup.prompt.chosen ? setup.prompt.instructions : undefined;
}

const digests = new WeakMap<readonly ToolSpec[], string>();

function toolsDigest(tools: readonly ToolSpec[]): string {
  let digest = digests.get(tools);
  if (digest === undefined) {
    digest = digestText(digestOf(JSON.stringify(tools), 0));
    digests.set(tools, digest);
  }
  return digest;
}

/** Whether one model saw images where the other one reads a text, or the other way round. */
function changesImages({ setup, state }: Turn, previousModel: string): boolean {
  if ((setup.seesImages?.(previousModel) ?? setup.imageInput) === setup.imageInput) return false;
  return state.history.some((item) => withoutImages(item) !== item);
}

async function note(
  turn: Turn,
  cause: PrefixCause,
  changed: { readonly instructions?: string; readonly tools?: string } = {},
): Promise<void> {
  await turn.record({ type: 'oxbow', payload: { kind: 'prefix.changed', cause, ...changed } });
  if (cause !== 'start') turn.emit({ type: 'prefix.changed', cause });
}
