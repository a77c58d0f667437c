import type { Event } from '../../base/event.ts';
import type { Repair } from '../../base/repair.ts';
import type { World } from '../../base/world.ts';
import type { Config } from '../../config/load-config.ts';
import type { LogFile } from '../../store/files/log-file.ts';
import { callsMessage, repairMessage } from './call-messages.ts';
import { createRedactor } from './redact.ts';

export type LogLevel = 'off' | 'error' | 'info' | 'debug';

const RANK: Readonly<Record<LogLevel, number>> = { off: 0, error: 1, info: 2, debug: 3 };

/**
 * Returns the writer of an agent's log: a JSON line for each request, each call and each failure, with its thread and turn.
 * `onLog` gets the lines of all levels.
 */
export function openActivityLog(
  config: Pick<Config, 'logLevel' | 'env'>,
  { now }: Pick<World, 'now'>,
  file: LogFile,
  onLog?: (line: string) => void,
  secrets?: Iterable<string>,
): (event: Event) => void {
  const redact = createRedactor(config.env, secrets);
  const level = onLog ? 'debug' : config.logLevel;
  return (event) => {
    const entry = entryOf(event);
    if (!entry || RANK[entry.level] > RANK[level]) return;
    const time = new Date(now()).toISOString();
    const { threadId: thread, turnId: turn } = event;
    const line = redact(JSON.stringify({ time, ...entry, thread, turn }));
    if (config.logLevel !== 'off') file.write(line);
    onLog?.(line);
  };
}

interface Entry {
  readonly level: Exclude<LogLevel, 'off'>;
  readonly event: string;
  readonly [field: string]: unknown;
}

function entryOf(event: Event): Entry | undefined {
  switch (event.type) {
    case 'request.ended':
      return {
        level: event.error === null ? 'info' : 'error',
        event: 'request',
        request: event.request,
        ms: event.ms,
        error: event.error,
      };
    case 'call.ended': {
      const { name, callId: call_id, durationMs: duration_ms, success, failure, preview } = event;
      return { level: 'info', event: 'call', name, call_id, duration_ms, success, failure, preview };
    }
    case 'retry':
      return {
        level: 'error',
        event: 'retry',
        of: event.of,
        attempt: event.attempt,
        max: event.max,
        reason: event.reason,
      };
    case 'repair':
      return repairEntry(event);
    case 'calls.received':
      return { level: 'info', event: 'calls', message: callsMessage(event.frame, event.calls) };
    case 'compacted': {
      const { reason, before, after } = event;
      return { level: 'info', event: 'compacted', reason, before, after };
    }
    case 'warning':
      return { level: 'error', event: 'warning', message: event.message };
    case 'mcp.log': {
      const { server, level, message } = event;
      return { level: level === 'warning' ? 'info' : 'error', event: 'mcp.log', server, severity: level, message };
    }
    case 'turn.failed':
      return { level: 'error', event: 'turn.failed', code: event.error.code, message: event.error.message };
    case 'usage':
      return { level: 'debug', event: 'usage', response: event.response, thread_total: event.thread };
    case 'usage.limits':
      return { level: 'debug', event: event.type, plan: event.plan, windows: event.windows };
    case 'usage.waiting':
      return { level: 'info', event: event.type, until: new Date(event.until).toISOString() };
    case 'request.waiting':
    case 'thread.started':
    case 'turn.started':
    case 'turn.aborted':
    case 'turn.suspended':
      return { level: 'debug', event: event.type };
    case 'turn.completed':
      return { level: 'info', event: 'turn.completed', tokens: event.usage.totalTokens };
    default:
      return undefined;
  }
}

function repairEntry(repair: Repair): Entry {
  const { id, frame, callId: call_id, before, after } = repair;
  return { level: 'info', event: 'repair', id, message: repairMessage(repair), frame, call_id, before, after };
}
