import { messageOf } from '../../base/errors.ts';
import type { Event } from '../../base/event.ts';
import { startDetached } from '../../exec/process/start-detached.ts';
import type { AgentParts } from '../agent-parts.ts';

/**
 * Returns the listener that starts the program `notify` at the end of each turn that completed. As in Codex, its last
 * argument is a JSON object. The turn neither waits for the program nor fails with it.
 */
export function createNotifier(
  argv: readonly string[],
  { config, originator }: Pick<AgentParts, 'config' | 'originator'>,
  warn: (message: string) => void,
): (event: Event) => void {
  let messages: string[] = [];
  return (event) => {
    if (event.type === 'turn.started') messages = [];
    if (event.type === 'item.completed' && event.item.type === 'user_message') messages.push(event.item.text);
    if (event.type !== 'turn.completed') return;
    const report = {
      type: 'agent-turn-complete',
      'thread-id': event.threadId,
      'turn-id': event.turnId,
      cwd: config.cwd,
      client: originator,
      'input-messages': messages,
      'last-assistant-message': event.finalResponse || null,
    };
    const onFailure = (error: unknown) => warn(`The program of notify could not be started: ${messageOf(error)}.`);
    startDetached({ argv: [...argv, JSON.stringify(report)], env: config.env, onFailure });
  };
}
