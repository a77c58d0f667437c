import { type LogLine, ROLLOUT_FORMAT } from '../base/log.ts';
import { message, textPart } from './state/message.ts';
import type { ThreadSetup, Turn, TurnSetup } from './turn-setup.ts';

/** Returns the lines that a log begins with, unless the log has them already. */
export function firstLines({ thread, state }: Pick<Turn, 'thread' | 'state'>, setup: TurnSetup): readonly LogLine[] {
  return state.meta ? [] : [sessionMeta(thread, setup), ...historyLines(thread)];
}

function historyLines({ history = [], world }: ThreadSetup): readonly LogLine[] {
  return history.flatMap(({ role, text }): LogLine[] => {
    const content = [role === 'user' ? textPart(text) : ({ type: 'output_text', text } as const)];
    const said: LogLine = { type: 'response_item', payload: message(world, role, content) };
    return role === 'user' ? [said, { type: 'event_msg', payload: { type: 'user_message', message: text } }] : [said];
  });
}

function sessionMeta(thread: ThreadSetup, setup: TurnSetup): LogLine {
  const { id, world, originator, version, source, metadata } = thread;
  return {
    type: 'session_meta',
    payload: {
      id,
      session_id: id,
      timestamp: new Date(world.now()).toISOString(),
      cwd: setup.view.cwd,
      originator,
      cli_version: version,
      source,
      model_provider: setup.providerId,
      base_instructions: { text: setup.prompt.instructions },
      history_mode: 'legacy',
      oxbow_format: ROLLOUT_FORMAT,
      ...(metadata === undefined ? {} : { oxbow_metadata: metadata }),
    },
  };
}
