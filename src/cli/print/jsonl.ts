import type { CommandItem, Event, EventBody, ThreadItem } from '../../base/event.ts';
import type { Usage } from '../../base/usage.ts';
import { quoteArgv } from '../../shell/quote.ts';

/**
 * The events of `exec --json`: one JSON object a line, with the types and keys of Codex, so that programs written for
 * `codex exec --json` read them. Items are numbered in the order in which they are first seen.
 */
export function createJsonlPrinter(write: (line: string) => void): (event: Event) => void {
  const numbers = new Map<string, string>();
  const numberOf = (id: string) => {
    const known = numbers.get(id) ?? `item_${numbers.size}`;
    numbers.set(id, known);
    return known;
  };
  let warnings = 0;
  return (event) => {
    const item = event.type === 'warning' ? numberOf(`warning ${warnings++}`) : '';
    for (const line of toLines(event, item, numberOf)) write(`${JSON.stringify(line)}\n`);
  };
}

function toLines(event: Event, warningId: string, numberOf: (id: string) => string): object[] {
  switch (event.type) {
    case 'thread.started':
      return [{ type: event.type, thread_id: event.threadId }];
    case 'turn.started':
      return [{ type: event.type }];
    case 'item.started':
    case 'item.completed':
      return itemLines(event, numberOf);
    case 'warning':
      return [{ type: 'item.completed', item: { id: warningId, type: 'error', message: event.message } }];
    case 'retry':
      // Codex tells of responses only.
      if (event.of === 'request') return [];
      return [{ type: 'error', message: `Reconnecting... ${event.attempt}/${event.max} (${event.reason})` }];
    case 'turn.completed':
      return [{ type: event.type, usage: toUsage(event.usage) }];
    case 'turn.failed': {
      const { message } = event.error;
      return [
        { type: 'error', message },
        { type: event.type, error: { message } },
      ];
    }
    default:
      return [];
  }
}

function itemLines(
  { type, item }: Extract<EventBody, { item: ThreadItem }>,
  numberOf: (id: string) => string,
): object[] {
  switch (item.type) {
    case 'agent_message':
    case 'reasoning':
      return [{ type, item: { id: numberOf(item.id), type: item.type, text: item.text } }];
    case 'command':
      return [{ type, item: toCommandExecution(item, numberOf(item.id)) }];
    case 'tool_call':
      return [];
  }
}

function toCommandExecution(item: CommandItem, id: string): object {
  return {
    id,
    type: 'command_execution',
    command: quoteArgv(item.argv),
    aggregated_output: item.output,
    exit_code: item.exitCode,
    status: item.status === 'running' ? 'in_progress' : item.status,
  };
}

function toUsage(usage: Usage): object {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_input_tokens: usage.cacheWriteInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_output_tokens: usage.reasoningOutputTokens,
  };
}
