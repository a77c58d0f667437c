import type { ScriptedAnswer } from './fault.ts';
import { createIds, type Ids } from './ids.ts';
import { planDelivery } from './plan-delivery.ts';
import { REPLY_WIRES, type ReplyWireName, STANDARD_WIRE } from './wires/index.ts';

/** Options of `encodeReply`. */
export interface EncodeReplyOptions {
  readonly wire?: ReplyWireName;
  /** Model of the request. */
  readonly model?: string;
  /** Source of ids. By default they start at 1, as on a new server. */
  readonly ids?: Ids;
}

/** Returns the whole body of an answer, as the server sends it for its first request. */
export function encodeReply(answer: ScriptedAnswer, options: EncodeReplyOptions = {}): Buffer {
  const wire = options.wire === undefined ? STANDARD_WIRE : REPLY_WIRES[options.wire];
  const body = { stream: true, stream_options: { include_usage: true } };
  const context = { ids: options.ids ?? createIds(), model: options.model ?? 'scripted', body };
  const { steps } = planDelivery(answer, wire, context);
  return Buffer.concat(steps.map((step) => (step.kind === 'frame' ? step.bytes : Buffer.alloc(0))));
}
