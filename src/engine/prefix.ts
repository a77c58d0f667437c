import type { PrefixCause } from '../base/prefix-cause.ts';
import type { Turn } from './turn-setup.ts';
import { withoutImages } from './without-images.ts';

/** Notes that a turn's requests do not begin with the bytes of those before, with the causes. Once, at its start. */
export async function notePrefix(turn: Turn): Promise<void> {
  const { setup, state, previousModel, previousProvider } = turn;
  const chosen = turn.baseInstructions ?? chosenBefore(turn);
  if (chosen !== undefined && chosen !== state.instructions) await note(turn, 'instructions', { instructions: chosen });
  if (state.tools === null) {
    turn.tools = setup.tools();
    await note(turn, 'start', { tools: turn.tools.digest });
    return;
  }
  await noteTools(turn);
  if (previousProvider !== null && previousProvider !== setup.providerId) await note(turn, 'provider');
  if (previousModel !== null && previousModel !== setup.request.model) {
    await note(turn, 'model');
    if (changesImages(turn, previousModel)) await note(turn, 'images');
  }
  if (state.rolledBack) await note(turn, 'rollback');
}

/** Takes the tools as they are now for the next request, and notes when they are others than before. Before each request. */
export async function noteTools(turn: Turn): Promise<void> {
  turn.tools = turn.setup.tools();
  const { digest: tools } = turn.tools;
  if (turn.state.tools !== tools) await note(turn, 'tools', { tools });
}

/** Notes that what the model thought before the user spoke goes with no request any more. Before each request. */
export async function noteForgotten(turn: Turn): Promise<void> {
  if (turn.setup.forgetsReasoning && turn.state.reasoning === 'past') await note(turn, 'reasoning');
}

/** Returns the instructions that the user chose for a thread that goes on, at its first turn in this process. */
function chosenBefore({ isFirstHere, setup }: Turn): string | undefined {
  return isFirstHere && setup.prompt.chosen ? setup.prompt.instructions : undefined;
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
