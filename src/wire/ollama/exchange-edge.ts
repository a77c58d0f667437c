import type { EdgeWire } from '../edge/edge-wire.ts';
import { firstCallOnly } from './first-call.ts';
import { callsIn, inspect } from './inspect.ts';
import { passThrough } from './pass-through.ts';
import { repairedBody } from './repaired-body.ts';
import { readUsage } from './usage-fields.ts';

/** The part of the edge that exchanges of messages and of prompts have in common. */
export const exchangeEdge: Omit<EdgeWire, 'routes' | 'hasRareTools' | 'editRequest'> = {
  // Programs that are made for this protocol name it first.
  isClient: (header) => /^ollama\b/i.test(header('user-agent') ?? ''),
  // The default of this wire is a stream.
  readRequest: ({ model, stream }) => ({ model, stream: stream !== false, includeUsage: true }),
  // This wire has no state that only one server can read.
  withoutSealed: (body) => body,
  passThrough,
  encoding: (_original, common) => common,
  repairedBody,
  readUsage,
  inspect,
  callsIn,
  firstCallOnly,
  // The id is known only to the gateway: the wire has no ids of responses.
  responseId: (uuid) => `ollama-${uuid.replaceAll('-', '')}`,
  errorBody: ({ message }) => ({ error: message }),
  reportedInStream: () => false,
};
