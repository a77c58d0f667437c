import { type CallPart, type Reply, type ReplyPart, SCRIPTED_USAGE } from '../../../src/testing/index.ts';

/** Answers in one piece, by the wire of the server. */
export const WHOLE_BODIES = {
  responses: responseBody,
  chat: completionBody,
  messages: messageBody,
  ollama: ollamaBody,
};

const { inputTokens, outputTokens, totalTokens } = SCRIPTED_USAGE;

function responseBody({ parts }: Reply): object {
  return {
    id: 'resp_whole',
    object: 'response',
    created_at: 1_760_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'scripted',
    output: parts.map(responseItem),
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: totalTokens,
    },
  };
}

function responseItem(part: ReplyPart, n: number): object {
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
      const { name, arguments: args } = part;
      return {
        type: 'function_call',
        id: `fc_${n}`,
        call_id: idOf(part, n),
        name,
        arguments: args,
        status: 'completed',
      };
    }
    default:
      throw new Error(`There is no ${part.kind} in a body of one piece.`);
  }
}

function completionBody({ parts }: Reply): object {
  const text = textIn(parts);
  const thought = thoughtIn(parts);
  const calls = callsIn(parts).map((part, n) => ({
    id: idOf(part, n),
    type: 'function',
    function: { name: part.name, arguments: part.arguments },
  }));
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(thought !== '' && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    id: 'chatcmpl-whole',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'scripted',
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: totalTokens },
  };
}

function messageBody({ parts }: Reply): object {
  const block = (part: ReplyPart, n: number): object => {
    if (part.kind === 'say') return { type: 'text', text: part.text };
    if (part.kind === 'think')
      return { type: 'thinking', thinking: thoughtIn([part]), signature: part.encrypted ?? 'c2lnbmVk' };
    if (part.kind === 'call')
      return { type: 'tool_use', id: idOf(part, n), name: part.name, input: JSON.parse(part.arguments) };
    throw new Error(`There is no ${part.kind} in a body of one piece.`);
  };
  return {
    id: 'msg_whole',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: parts.map(block),
    stop_reason: callsIn(parts).length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: outputTokens },
  };
}

function ollamaBody({ parts }: Reply): object {
  const thinking = thoughtIn(parts);
  const calls = callsIn(parts).map(({ name, arguments: args }) => ({
    function: { name, arguments: JSON.parse(args) },
  }));
  return {
    model: 'scripted',
    created_at: '2025-10-09T08:53:20Z',
    message: {
      role: 'assistant',
      content: textIn(parts),
      ...(thinking !== '' && { thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: inputTokens,
    eval_count: outputTokens,
  };
}

function textIn(parts: readonly ReplyPart[]): string {
  return parts.map((part) => (part.kind === 'say' ? part.text : '')).join('');
}

function thoughtIn(parts: readonly ReplyPart[]): string {
  return parts.map((part) => (part.kind === 'think' ? (part.raw ?? part.summary.join('\n\n')) : '')).join('');
}

function callsIn(parts: readonly ReplyPart[]): readonly CallPart[] {
  return parts.filter((part) => part.kind === 'call');
}

function idOf({ callId }: CallPart, n: number): string {
  return callId ?? `call_${n}`;
}
