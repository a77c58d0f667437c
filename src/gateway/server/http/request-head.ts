import type { IncomingHttpHeaders } from 'node:http';
import { HttpSyntaxError } from '../../../model/http/http-syntax-error.ts';
import { addField, type FramedHead, readField } from '../../../model/http/read-head.ts';

/** The head of a request. */
export interface RequestHead extends FramedHead {
  readonly method: string;
  readonly target: string;
  /** Names are in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Whether the client speaks HTTP/1.1. An older one knows no chunks. */
  readonly isModern: boolean;
}

const MAX_BYTES = 16 * 1024;
const LINE_END = '\r\n';
const HEAD_END = '\r\n\r\n';

/**
 * Reads the head which begins at `at`; undefined as long as it is not whole. Throws `HttpSyntaxError`. It is strict: a
 * head that two programs could read in two ways is refused.
 */
export function readRequestHead(
  bytes: Buffer,
  at: number,
): { readonly head: RequestHead; readonly end: number } | undefined {
  const end = bytes.indexOf(HEAD_END, at, 'latin1');
  if ((end < 0 ? bytes.length : end) - at > MAX_BYTES) {
    throw new HttpSyntaxError(`the head of the request is longer than ${MAX_BYTES} bytes`, 431);
  }
  if (end >= 0) return { head: parsed(bytes.toString('latin1', at, end)), end: end + HEAD_END.length };
  // A client that speaks another protocol, such as TLS, may never end this head.
  if (!isCapital(bytes[at] ?? 0)) throw notHttp();
  return undefined;
}

function isCapital(byte: number): boolean {
  return byte >= 0x41 && byte <= 0x5a;
}

function notHttp(): HttpSyntaxError {
  return new HttpSyntaxError('it does not begin with a method, a path and the version 1.0 or 1.1 of HTTP');
}

const REQUEST_LINE =
  /^(DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT) ((?:\/|\*(?= )|https?:\/\/[\w.:[\]-]+(?:\/|(?= )))[\x21\x22\x24-\x7e]*) HTTP\/1\.([01])$/;

function parsed(text: string): RequestHead {
  const [line = '', ...lines] = text.split(LINE_END);
  const [, method, target, minor] = REQUEST_LINE.exec(line) ?? [];
  if (method === undefined || target === undefined) throw notHttp();
  const isModern = minor === '1';
  const headers = headersOf(lines);
  if (isModern && headers.host === undefined) throw new HttpSyntaxError('it names no host');
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw new HttpSyntaxError('it expects something other than 100-continue', 417);
  }
  return {
    method,
    target,
    headers,
    isModern,
    framing: framingOf(headers, isModern),
    isKept: isKept(headers, isModern),
  };
}

/** Headers of which a second one could make a program see another request. */
const SINGLE: ReadonlySet<string> = new Set(['content-length', 'host', 'transfer-encoding']);

function headersOf(lines: readonly string[]): IncomingHttpHeaders {
  const headers: Record<string, string | string[]> = {};
  for (const line of lines) {
    const { name, value } = readField(line);
    if (SINGLE.has(name) && Object.hasOwn(headers, name)) throw new HttpSyntaxError(`it has two headers ${name}`);
    addField(headers, name, value);
  }
  return headers;
}

function framingOf(headers: IncomingHttpHeaders, isModern: boolean): 'chunked' | number {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  if (coding === undefined) return length === undefined ? 0 : lengthOf(length);
  if (length !== undefined) throw new HttpSyntaxError('it states its length in two ways');
  if (!isModern || coding.toLowerCase() !== 'chunked') {
    throw new HttpSyntaxError('it is transferred in a way other than chunked', 501);
  }
  return 'chunked';
}

function lengthOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new HttpSyntaxError('its length is not a number');
  return Number(text);
}

function isKept({ connection }: IncomingHttpHeaders, isModern: boolean): boolean {
  if (connection === undefined) return isModern;
  const options = connection.toLowerCase();
  return isModern ? !/\bclose\b/.test(options) : /\bkeep-alive\b/.test(options);
}
