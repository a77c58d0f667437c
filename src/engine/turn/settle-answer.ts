import type { LogLine } from '../../base/log.ts';
import { message, textPart } from '../state/message.ts';
import type { Turn } from '../turn-setup.ts';
import { completion } from './input-queue.ts';

/** Number of refused answers in a turn after which the next one fails the turn. */
export const MOST_REFUSED = 2;

/** The last answer of a turn does not fit the schema that was asked for. */
export class OutputInvalid extends Error {
  readonly answer: string;

  constructor(answer: string, faults: readonly string[]) {
    super(
      `The final answer does not fit the output schema, though it was asked for ${MOST_REFUSED + 1} times: ${faults.join('; ')}.`,
    );
    this.answer = answer;
  }
}

/** The fate of a final answer. `waits`: there is something left to send to the model. */
export type AnswerFate =
  | { readonly type: 'completed' | 'waits' }
  | { readonly type: 'refused'; readonly faults: readonly string[] };

export const WAITS: AnswerFate = { type: 'waits' };

/** Completes a turn with an answer, or refuses the answer. Does neither if input is queued. Later input stays queued. */
export async function settleAnswer(turn: Turn, answer: string): Promise<AnswerFate> {
  const faults = await faultsOf(turn, answer);
  const isRefused = faults.length > 0;
  const end = isRefused ? refusal(turn, faults) : completion(turn, answer);
  const made = await turn.decide(() => (turn.state.queue.length === 0 ? [end] : []));
  if (made.length === 0) return WAITS;
  if (!isRefused) return { type: 'completed' };
  turn.emit({ type: 'output.refused', faults });
  return { type: 'refused', faults };
}

/** Asks for the final answer again, with the faults of the last one. */
export async function askAgain(turn: Turn, faults: readonly string[]): Promise<void> {
  const text = `<output_notification>
Your final answer does not fit the schema that was asked for:
${faults.map((fault) => `- ${fault}`).join('\n')}
Answer again. The whole answer must be JSON that fits the schema, without any other text around it.
</output_notification>`;
  await turn.note({ type: 'response_item', payload: message(turn.thread.world, 'user', [textPart(text)]) });
}

/** Returns the faults of an answer. A check is code of the embedding program and may take forever. */
async function faultsOf({ checkOutput, signal }: Turn, answer: string): Promise<readonly string[]> {
  if (!checkOutput) return [];
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([checkOutput(answer), aborted]);
}

function refusal({ id }: Turn, faults: readonly string[]): LogLine {
  return { type: 'oxbow', payload: { kind: 'output.refused', turn_id: id, faults } };
}
