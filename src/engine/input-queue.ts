import { inputText, message } from './message.ts';
import type { Turn } from './turn-setup.ts';

/** Puts everything that waits into the history, in its order. */
export async function takeQueued(turn: Turn): Promise<void> {
  for (const { id, content } of [...turn.state.queue]) {
    const payload = message(turn.setup.world, 'user', content);
    await turn.record({ type: 'response_item', payload, metadata: { queued: id } });
    await turn.record({ type: 'event_msg', payload: { type: 'user_message', message: inputText(content) } });
    turn.emit({ type: 'input.taken', id, content });
    turn.emit({ type: 'queue.changed', queue: [...turn.state.queue] });
  }
}
