import { CASSETTE_VERSION, type Cassette, type CassetteLine, type RecordedExchange } from './cassette.ts';
import { chunkLine, encodeLine } from './encode-line.ts';
import { createRequestLines } from './request-lines.ts';

/** Returns the text of a cassette, one exchange after the other. */
export function encodeCassette({ recordedAt, oxbow, exchanges }: Cassette): string {
  const requestLines = createRequestLines();
  const lines: CassetteLine[] = [
    { cassette: CASSETTE_VERSION, recorded_at: recordedAt, oxbow },
    ...exchanges.flatMap((exchange, index) => [
      ...requestLines(index + 1, exchange.request),
      ...responseLines(index + 1, exchange),
    ]),
  ];
  return lines.map(encodeLine).join('');
}

function responseLines(n: number, { response, chunks, ms, error }: RecordedExchange): CassetteLine[] {
  return [
    ...(response === null ? [] : [{ type: 'response', n, ...response } as const]),
    ...chunks.map((chunk) => chunkLine(n, chunk)),
    { type: 'end', n, ms, ...(error === null ? {} : { error }) },
  ];
}
