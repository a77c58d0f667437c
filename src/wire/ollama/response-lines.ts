import { isCall } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import type { Usage } from '../../base/usage.ts';
import { toFunctionForm } from '../lowering/function-form.ts';
import { createRunningTexts, type TextKind } from '../lowering/running-texts.ts';
import { argumentsObject } from './encode-call.ts';

/** The content of one line of a response. */
export type ResponseLine =
  | { readonly type: 'content' | 'thinking'; readonly text: string }
  /** `text` is the call as JSON. */
  | { readonly type: 'call'; readonly text: string }
  | { readonly type: 'end'; readonly reason: string; readonly usage: Usage | null }
  | { readonly type: 'error'; readonly message: string; readonly code: string | null };

/** The lines of one response. */
export interface ResponseLines {
  /** Returns the lines for an event; none after the end. */
  push(event: ModelEvent): readonly ResponseLine[];
}

/**
 * Creates the lines of one response. The wire has one text, one reasoning and a list of calls, each of which is sent
 * when it is complete. Items of tools that the server ran are left out.
 */
export function createResponseLines(): ResponseLines {
  let lines: ResponseLine[] = [];
  let over = false;
  let calls = 0;
  const texts = createRunningTexts((kind, text) => lines.push({ type: KINDS[kind], text }));
  return {
    push(event) {
      if (over) return NOTHING;
      lines = [];
      if (event.type === 'item.done' && isCall(event.item)) {
        const { name, arguments: args } = toFunctionForm(event.item);
        const form = `{"index":${calls++},"name":${JSON.stringify(name)},"arguments":${argumentsObject(args)}}`;
        lines.push({ type: 'call', text: `{"id":${JSON.stringify(event.item.call_id)},"function":${form}}` });
      } else texts.push(event);
      const ending = endingOf(event);
      if (ending !== undefined) lines.push(ending);
      over = ending !== undefined;
      return lines;
    },
  };
}

const NOTHING: readonly never[] = [];

const KINDS: Readonly<Record<TextKind, 'content' | 'thinking'>> = {
  text: 'content',
  refusal: 'content',
  reasoning: 'thinking',
};

function endingOf(event: ModelEvent): ResponseLine | undefined {
  switch (event.type) {
    case 'completed':
      return { type: 'end', reason: 'stop', usage: event.usage };
    case 'incomplete':
      return { type: 'end', reason: DONE_REASONS.get(event.reason) ?? event.reason, usage: event.usage };
    case 'failed':
      return { type: 'error', message: event.message, code: event.code };
    default:
      return undefined;
  }
}

/** Reasons of the protocol, by the reason for which a response is incomplete. */
const DONE_REASONS: ReadonlyMap<string, string> = new Map([['max_output_tokens', 'length']]);
