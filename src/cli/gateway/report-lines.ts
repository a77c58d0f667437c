import { callsMessage, repairMessage } from '../../app/log/call-messages.ts';
import { printable } from '../../text/visible.ts';
import type { Style } from '../print/style.ts';
import type { GatewayReport } from './load-gateway.ts';

/** Returns an exchange for programs. Repairs are named, not quoted: their texts are content. */
export function reportEntry(report: GatewayReport): Readonly<Record<string, unknown>> {
  const { id, provider, model, stream, status, ms, adaptations, error } = report;
  return {
    type: 'gateway.exchange',
    id,
    client_wire: report.clientWire,
    server_wire: report.serverWire,
    provider,
    model,
    stream,
    status,
    ms: Math.round(ms),
    first_byte_ms: report.firstByteMs === null ? null : Math.round(report.firstByteMs),
    input_tokens: report.inputTokens,
    output_tokens: report.outputTokens,
    repairs: report.repairs.map(({ id, title, frame, callId }) => ({ id, title, frame, call_id: callId })),
    adaptations,
    calls: report.calls,
    messages: [
      ...report.calls.map(({ frame, calls }) => callsMessage(frame, calls)),
      ...report.repairs.map(repairMessage),
    ],
    error,
  };
}

/** Returns an exchange for people, on one line. Names of models come from clients and may contain any character. */
export function reportLine(report: GatewayReport, { red, green, dim, cyan }: Style): string {
  const { status, ms, clientWire, serverWire, provider, model, repairs, adaptations, error } = report;
  const ids = [...new Set(repairs.map(({ id }) => id))];
  const parts = [
    (status < 400 && error === null ? green : red)(String(status)),
    `${Math.round(ms)} ms`.padStart(9),
    serverWire === null ? clientWire : `${clientWire} to ${serverWire}`,
    dim(oneLine([provider, model].filter((name) => name !== null).join('/'))),
    ...(ids.length === 0 ? [] : [cyan(`repaired ${ids.join(', ')}`)]),
    ...(adaptations.length === 0 ? [] : [dim(oneLine(`adapted ${adaptations.join(', ')}`))]),
    ...(error === null ? [] : [red(oneLine(error))]),
  ];
  return `${parts.join('  ')}\n`;
}

const oneLine = (text: string) => printable(text).replace(/\s+/g, ' ');
