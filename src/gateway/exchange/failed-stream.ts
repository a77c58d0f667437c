import type { ClientError } from '../../wire/edge/client-error.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { ClientAnswer } from './client-answer.ts';

/** Answers with a stream that contains only the failure. */
export function sendFailedStream(
  outgoing: ClientAnswer,
  error: ClientError,
  {
    wire,
    model,
    createdAt,
    uuid,
  }: { readonly wire: Wire; readonly model: string; readonly createdAt: number; readonly uuid: string },
): void {
  const encoder = wire.encodeStream({ model, createdAt });
  const { code, message } = error;
  const frames = [
    ...encoder.push({ type: 'created', responseId: wire.edge.responseId(uuid) }),
    ...encoder.push({ type: 'failed', code, message }),
  ];
  outgoing.beginStream(wire.framing);
  void outgoing.write(wire.framing.write(frames));
  outgoing.end();
}
