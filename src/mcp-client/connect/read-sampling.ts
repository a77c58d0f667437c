import { isRecord } from '../../base/json-schema.ts';
import type { McpSampling, McpSamplingMessage, McpSamplingPart } from '../../base/mcp-connection.ts';
import { McpFault } from '../../base/mcp-fault.ts';

/** Most tokens of one message that the model writes for a server, whatever the server asks for. */
const MOST_TOKENS = 4096;

/** Most bytes of the messages of one request, as JSON. The user has to read them. */
const MOST_BYTES = 256 * 1024;

/** Reads the parameters of `sampling/createMessage`. Throws `McpFault` for a request that cannot be met. */
export function readSampling(params: unknown): McpSampling {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences, tools } = isRecord(params) ? params : {};
  if (Array.isArray(tools) && tools.length > 0) throw unmet('it offers tools to the model, which is not supported');
  if (!Array.isArray(messages) || messages.length === 0) throw unmet('it has no messages');
  if (typeof maxTokens !== 'number' || !(maxTokens >= 1)) throw unmet('its maxTokens is not a number from 1');
  const request: McpSampling = {
    systemPrompt: typeof systemPrompt === 'string' ? systemPrompt : null,
    messages: messages.map(readMessage),
    maxTokens: Math.min(Math.floor(maxTokens), MOST_TOKENS),
    temperature: typeof temperature === 'number' ? temperature : null,
    stop: Array.isArray(stopSequences) ? stopSequences.filter((one) => typeof one === 'string') : [],
  };
  const bytes = Buffer.byteLength(JSON.stringify(request));
  if (bytes > MOST_BYTES) throw unmet(`its messages have ${bytes} bytes, and ${MOST_BYTES} is the limit`);
  return request;
}

function readMessage(message: unknown): McpSamplingMessage {
  const { role, content } = isRecord(message) ? message : {};
  if (role !== 'user' && role !== 'assistant') throw unmet('a message has no role');
  return { role, content: (Array.isArray(content) ? content : [content]).map(readPart) };
}

function readPart(part: unknown): McpSamplingPart {
  const { type, text, data, mimeType } = isRecord(part) ? part : {};
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string') return { type, data, mimeType };
  throw unmet(`a message has a part of the type ${JSON.stringify(type)}, and only text and image are supported`);
}

function unmet(why: string): McpFault {
  return new McpFault('refused', `The request for a message of the model cannot be met: ${why}.`);
}
