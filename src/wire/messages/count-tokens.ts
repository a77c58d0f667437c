import { isRecord } from '../../base/json-schema.ts';
import { badRequest, ClientError } from '../edge/client-error.ts';
import type { OwnRoute } from '../edge/edge-wire.ts';
import type { Fields } from '../fields/request-fields.ts';

/** Counts the tokens of a request, with the server of the model where it can count them. */
export const countTokensRoute: OwnRoute = {
  type: 'own',
  method: 'POST',
  path: '/v1/messages/count_tokens',
  async answer(request, gateway) {
    const body = await request.body();
    const { model } = body;
    if (typeof model !== 'string') throw badRequest('The field model of the request must be a string.', 'model');
    if (!Array.isArray(body.messages))
      throw badRequest('The field messages of the request must be an array.', 'messages');
    if (gateway.factsOf(model) === undefined) {
      const said = `There is no model ${JSON.stringify(model)} here. GET /v1/models lists the models.`;
      throw new ClientError(said, { status: 404, code: 'model_not_found', param: 'model' });
    }
    const counted = await gateway.forward('/messages/count_tokens', model, body);
    return typeof counted?.input_tokens === 'number' ? counted : { input_tokens: estimateTokens(body) };
  },
};

/**
 * Estimates the tokens of a request: one for 3.5 bytes of text and of tools, a few for each message, a fixed number for
 * each image, and one for 50 bytes of each PDF. Clients shorten their history by this number, so it is rather too high.
 */
export function estimateTokens({ system, messages, tools }: Fields): number {
  const count = [system, messages, tools].reduce<number>((sum, value) => sum + tokensIn(value, 0), 0);
  return Math.ceil(count + (Array.isArray(messages) ? messages.length * MESSAGE_TOKENS : 0));
}

const BYTES_A_TOKEN = 3.5;
const MESSAGE_TOKENS = 4;
/** Tokens of an image of the largest size that servers do not shrink. */
const IMAGE_TOKENS = 1600;
const PDF_BYTES_A_TOKEN = 50;
/** A page has about this many tokens as a text and as an image. */
const PAGE_TOKENS = 2000;
const MAX_DEPTH = 64;

function tokensIn(value: unknown, depth: number): number {
  if (typeof value === 'string') return Buffer.byteLength(value) / BYTES_A_TOKEN;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return 1;
  if (Array.isArray(value)) return value.reduce<number>((sum, entry) => sum + tokensIn(entry, depth + 1), 0);
  const { type, source, ...rest } = value as Fields;
  if (type === 'image') return IMAGE_TOKENS;
  const document = isRecord(source) ? documentTokens(source, depth) : 0;
  return Object.entries(rest).reduce((sum, [name, field]) => sum + tokensOf(name, field, depth), document);
}

function tokensOf(name: string, field: unknown, depth: number): number {
  return UNREAD.has(name) ? 0 : name.length / BYTES_A_TOKEN + tokensIn(field, depth + 1);
}

/** Fields that no model reads. */
const UNREAD: ReadonlySet<string> = new Set(['signature', 'cache_control', 'is_error', 'id', 'tool_use_id']);

function documentTokens(source: Fields, depth: number): number {
  const { type, data } = source;
  if (type !== 'base64') return type === 'url' || type === 'file' ? PAGE_TOKENS : tokensIn(source, depth + 1);
  const bytes = typeof data === 'string' ? data.length * 0.75 : 0;
  return Math.max(PAGE_TOKENS, bytes / PDF_BYTES_A_TOKEN);
}
