import { UserError } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import { fromBinaryText } from './binary-text.ts';
import {
  CASSETTE_VERSION,
  type Cassette,
  type CassetteHeaders,
  END_ERRORS,
  type ExchangeRequest,
  type ExchangeResponse,
  type RecordedChunk,
  type RecordedExchange,
} from './cassette.ts';
import { withParts } from './request-lines.ts';

/**
 * Reads the text of a cassette. An incomplete last line, left by a killed process, is dropped. An exchange without an
 * end gets one that says so. Throws `UserError` that names the line for any other fault.
 */
export function decodeCassette(text: string): Cassette {
  const lines = linesOf(text);
  const [first, ...rest] = lines;
  if (first === undefined) throw new UserError('damaged', 'This is not a cassette: it is empty.');
  const header = decodeHeader(first.value);
  const file: OpenFile = { open: new Map(), parts: header.hasParts ? new Map() : undefined };
  for (const { value, number } of rest) {
    try {
      readLine(file, value);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new UserError('damaged', `Line ${number} of the cassette: ${error.message}`);
    }
  }
  const { recordedAt, oxbow } = header;
  return { recordedAt, oxbow, exchanges: [...file.open.values()].map(closed) };
}

/** Fault of a line. The message is the end of a sentence. */
class Fault extends Error {}

interface Line {
  readonly value: Record<string, unknown>;
  readonly number: number;
}

function linesOf(text: string): Line[] {
  const texts = text.replace(/^\ufeff/, '').split('\n');
  return texts.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = parseJson(line);
    if (isRecord(value)) return [{ value, number: index + 1 }];
    // Only a line without a line break can be incomplete.
    if (value === undefined && index > 0 && index === texts.length - 1) return [];
    const why = index === 0 ? 'This is not a cassette: its first line' : `Line ${index + 1} of the cassette`;
    throw new UserError('damaged', `${why} is not a JSON object.`);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Header extends Omit<Cassette, 'exchanges'> {
  readonly hasParts: boolean;
}

function decodeHeader(line: Record<string, unknown>): Header {
  const { cassette: version, recorded_at: recordedAt, oxbow } = line;
  if (version === undefined)
    throw new UserError('damaged', 'This is not a cassette: its first line has no "cassette" field.');
  if (version !== 1 && version !== CASSETTE_VERSION) {
    const found = JSON.stringify(version);
    throw new UserError(
      'unsupported',
      `The cassette has the version ${found}; this program reads version 1 and ${CASSETTE_VERSION}.`,
    );
  }
  return {
    recordedAt: typeof recordedAt === 'string' ? recordedAt : '',
    oxbow: typeof oxbow === 'string' ? oxbow : '',
    hasParts: version === CASSETTE_VERSION,
  };
}

interface OpenFile {
  readonly open: Map<number, OpenExchange>;
  /** Parts of bodies by number. Undefined for a version without parts. */
  readonly parts: Map<number, unknown> | undefined;
}

interface OpenExchange {
  readonly request: ExchangeRequest;
  response: ExchangeResponse | null;
  readonly chunks: RecordedChunk[];
  end: { readonly ms: number; readonly error: string | null } | null;
}

function readLine({ open, parts }: OpenFile, line: Record<string, unknown>): void {
  if (parts !== undefined && line.type === 'part') {
    if (!('value' in line)) throw new Fault('it has no "value".');
    parts.set(count(line, 'id'), line.value);
    return;
  }
  const n = count(line, 'n');
  const exchange = open.get(n);
  if (line.type === 'request') {
    if (exchange) throw new Fault(`there is a request ${n} before it.`);
    open.set(n, { request: decodeRequest(line, parts), response: null, chunks: [], end: null });
    return;
  }
  if (!exchange) throw new Fault(`there is no request ${n} before it.`);
  if (exchange.end) throw new Fault(`exchange ${n} has already ended.`);
  readPart(exchange, line, n);
}

function readPart(exchange: OpenExchange, line: Record<string, unknown>, n: number): void {
  switch (line.type) {
    case 'response':
      if (exchange.response) throw new Fault(`exchange ${n} already has a response.`);
      exchange.response = decodeResponse(line);
      return;
    case 'chunk':
      if (!exchange.response) throw new Fault(`there is no response ${n} before this chunk of it.`);
      exchange.chunks.push({ ms: count(line, 'ms'), bytes: decodeBytes(line) });
      return;
    case 'end':
      exchange.end = { ms: count(line, 'ms'), error: line.error === undefined ? null : string(line, 'error') };
      if (!exchange.response && exchange.end.error === null) {
        throw new Fault(`exchange ${n} ends with neither a response nor an "error".`);
      }
      return;
    default:
      throw new Fault(`its "type" is ${JSON.stringify(line.type)}, not request, response, chunk or end.`);
  }
}

function closed({ request, response, chunks, end }: OpenExchange): RecordedExchange {
  const { ms, error } = end ?? { ms: chunks.at(-1)?.ms ?? 0, error: END_ERRORS.unfinished };
  return { request, response, chunks, ms, error };
}

function decodeRequest(line: Record<string, unknown>, parts: OpenFile['parts']): ExchangeRequest {
  if (!('body' in line)) throw new Fault('it has no "body".');
  return {
    method: string(line, 'method'),
    url: string(line, 'url'),
    headers: decodeHeaders(line),
    body: parts === undefined ? line.body : withParts(line.body, parts, missingPart),
  };
}

function missingPart(id: number): never {
  throw new Fault(`there is no part ${id} before it.`);
}

function decodeResponse(line: Record<string, unknown>): ExchangeResponse {
  const status = count(line, 'status');
  if (!Number.isInteger(status) || status < 100 || status > 999)
    throw new Fault(`its "status" ${status} is not an HTTP status.`);
  return { status, headers: decodeHeaders(line) };
}

function decodeHeaders({ headers }: Record<string, unknown>): CassetteHeaders {
  if (!isRecord(headers)) throw new Fault('its "headers" are not an object.');
  const wrong = Object.keys(headers).find((name) => !isHeaderValue(headers[name]));
  if (wrong !== undefined) throw new Fault(`the header ${JSON.stringify(wrong)} is not a string or a list of strings.`);
  return headers as CassetteHeaders;
}

function isHeaderValue(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every((part) => typeof part === 'string'));
}

function decodeBytes({ text, base64 }: Record<string, unknown>): Uint8Array {
  if (typeof text === 'string' && base64 === undefined) return new TextEncoder().encode(text);
  if (typeof base64 !== 'string' || text !== undefined) throw new Fault('a chunk has either "text" or "base64".');
  try {
    return fromBinaryText(atob(base64));
  } catch {
    throw new Fault('its "base64" is not base64.');
  }
}

function string(line: Record<string, unknown>, field: string): string {
  const value = line[field];
  if (typeof value !== 'string') throw new Fault(`its ${JSON.stringify(field)} is not a string.`);
  return value;
}

function count(line: Record<string, unknown>, field: string): number {
  const value = line[field];
  if (typeof value !== 'number' || value < 0) throw new Fault(`its ${JSON.stringify(field)} is not a number.`);
  return value;
}
