import type { Item } from '../../base/item.ts';
import type { ModelRequest } from '../../base/model.ts';
import type { Wire } from '../edge/wire.ts';
import { listOf, optional, string, wrong } from '../fields/request-fields.ts';
import { client } from './client.ts';
import { bodyFields, ONLY_LOADS, requestOf } from './decode-request.ts';
import { editModel } from './edit-request.ts';
import { bodyFor } from './encode-body.ts';
import { type AnswerForm, encoderFor } from './encode-stream.ts';
import { exchangeEdge } from './exchange-edge.ts';
import { imagePart } from './images.ts';
import { isNothing, loadAnswer } from './load-answer.ts';

/**
 * The form of the protocol with a prompt instead of messages, for clients that complete text. A server of the wire gets
 * the prompt as it came, because editors complete code with templates of their own and a suffix, which messages cannot
 * express. A server of another wire gets one message.
 */
export const generate: Wire = {
  ...client,
  path: '/generate',
  decodeRequest,
  encodeStream: (options) => encoderFor(RESPONSE_FORM, options),
  encodeBody: (events, options) => bodyFor(RESPONSE_FORM, events, options),
  edge: {
    ...exchangeEdge,
    routes: [{ type: 'exchange', method: 'POST', path: '/api/generate' }],
    hasRareTools: () => false,
    editRequest: editModel,
    emptyAnswer: (body, createdAt) =>
      isNothing(body.prompt) && isNothing(body.images) && isNothing(body.suffix)
        ? loadAnswer(body, createdAt, { response: '' })
        : undefined,
  },
};

/** The answer to a prompt is a text. Calls have no place in it. */
const RESPONSE_FORM: AnswerForm = {
  fields: ({ content = '""', thinking }) =>
    thinking === undefined ? `"response":${content}` : `"response":${content},"thinking":${thinking}`,
  // Tokens of the prompt and the answer, for the next prompt. Only the server that made them could read them.
  last: { context: [] },
};

/** Decodes a prompt as a message. A template of the client (`template`, `raw`) and earlier tokens are ignored. */
function decodeRequest(body: unknown): ModelRequest {
  const fields = bodyFields(body);
  const prompt = optional(fields.prompt, 'prompt', string) ?? '';
  const images = optional(fields.images, 'images', listOf(string)) ?? [];
  if (optional(fields.suffix, 'suffix', string)) {
    throw wrong('suffix', 'empty: the server of this model cannot complete text before a suffix');
  }
  const content = [...(prompt === '' ? [] : [{ type: 'input_text' as const, text: prompt }]), ...images.map(imagePart)];
  if (content.length === 0) throw wrong('prompt', `a text. ${ONLY_LOADS}`);
  const input: readonly Item[] = [{ type: 'message', role: 'user', content }];
  const instructions = optional(fields.system, 'system', string) ?? '';
  return requestOf(fields, { instructions, input, tools: [] });
}
