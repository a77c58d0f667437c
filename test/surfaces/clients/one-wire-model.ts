import { onTestFinished } from 'vitest';
import {
  fault,
  type RecordedRequest,
  type Reply,
  type ReplyPart,
  SCRIPTED_USAGE,
  type ScriptedAnswer,
  type ScriptedModel,
  startScriptedModel,
} from '../../../src/testing/index.ts';

export type WireName = 'chat' | 'responses';

export interface OneWireModel extends Pick<ScriptedModel, 'url' | 'waitForRequest' | 'close'> {
  /** Requests on the path of its wire. */
  readonly requests: readonly RecordedRequest[];
  /** Sets the answers to the next requests, and forgets those that nobody asked for. */
  play(answers: readonly ScriptedAnswer[]): void;
}

const PATHS: Readonly<Record<WireName, string>> = { chat: '/v1/chat/completions', responses: '/v1/responses' };

/** Starts a scripted model of one wire for one test. */
export async function startOneWireModel(wire: WireName, answers: readonly ScriptedAnswer[]): Promise<OneWireModel> {
  const model = await openOneWireModel(wire, answers);
  onTestFinished(() => model.close());
  return model;
}

/**
 * Starts a scripted model on a server that has one wire only: the paths of the others are unknown. A request without
 * `stream` gets a body in one piece.
 */
export async function openOneWireModel(wire: WireName, answers: readonly ScriptedAnswer[]): Promise<OneWireModel> {
  let left = [...answers];
  const model = await startScriptedModel((request) => {
    if (request.path !== PATHS[wire]) return fault.status(404, { detail: 'Not Found' });
    const answer = left.shift();
    const isWhole = answer?.kind === 'reply' && request.body.stream !== true;
    return isWhole ? fault.status(200, wholeBody(wire, answer)) : answer;
  });
  return {
    url: model.url,
    waitForRequest: model.waitForRequest,
    get requests() {
      return model.requests.filter(({ path }) => path === PATHS[wire]);
    },
    play(next) {
      left = [...next];
    },
    close: model.close,
  };
}

function wholeBody(wire: WireName, { parts }: Reply): object {
  const { inputTokens, outputTokens, totalTokens } = SCRIPTED_USAGE;
  if (wire === 'chat') {
    return {
      id: 'chatcmpl-whole',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'scripted',
      choices: [{ index: 0, message: message(parts), logprobs: null, finish_reason: finishReason(parts) }],
      usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: totalTokens },
    };
  }
  return {
    id: 'resp_whole',
    object: 'response',
    created_at: 1_760_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'scripted',
    output: parts.map(item),
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: totalTokens,
    },
  };
}

function message(parts: readonly ReplyPart[]): object {
  const text = parts.flatMap((part) => (part.kind === 'say' ? [part.text] : [])).join('');
  const thought = parts.flatMap((part) => (part.kind === 'think' ? [part.raw ?? part.summary.join('\n\n')] : []));
  const calls = parts.flatMap((part, n) =>
    part.kind === 'call'
      ? [
          {
            id: part.callId ?? `call_${n}`,
            type: 'function',
            function: { name: part.name, arguments: part.arguments },
          },
        ]
      : [],
  );
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(thought.length > 0 && { reasoning_content: thought.join('') }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function finishReason(parts: readonly ReplyPart[]): string {
  return parts.some(({ kind }) => kind === 'call') ? 'tool_calls' : 'stop';
}

function item(part: ReplyPart, n: number): object {
  switch (part.kind) {
    case 'say': {
      const content = [{ type: 'output_text', text: part.text, annotations: [], logprobs: [] }];
      return { type: 'message', id: `msg_${n}`, role: 'assistant', status: 'completed', content };
    }
    case 'think': {
      const summary = part.summary.map((text) => ({ type: 'summary_text', text }));
      const sealed = part.encrypted === undefined ? {} : { encrypted_content: part.encrypted };
      return { type: 'reasoning', id: `rs_${n}`, summary, ...sealed };
    }
    case 'call': {
      const { name, arguments: args, callId = `call_${n}` } = part;
      return { type: 'function_call', id: `fc_${n}`, call_id: callId, name, arguments: args, status: 'completed' };
    }
    default:
      throw new Error(`There is no ${part.kind} in a body of one piece.`);
  }
}
