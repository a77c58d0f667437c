import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { PATHS, requestFor, TESTED_WIRES, type TestedWire } from '../../../../src/gateway/test-answer.ts';
import { ask } from '../../../../src/gateway/test-gateway.ts';
import { eventually } from './eventually.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { judgeAnswer } from './judge-answer.ts';
import { startModelServer } from './model-server.ts';

/** Sends bytes, one by one if asked to, and reads until the connection closes. */
function converse(
  port: number,
  head: string,
  drip?: { readonly piece: string; readonly everyMs: number },
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.write(head);
    const timer = drip && setInterval(() => socket.write(drip.piece), drip.everyMs);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    socket.on('close', () => {
      clearInterval(timer);
      resolve(text);
    });
  });
}

/** The reason of a refusal as the error of each wire says it. Ollama's errors are sentences. */
const REASONS: Readonly<Record<TestedWire, Readonly<Record<'large' | 'slow', string>>>> = {
  responses: { large: '"code":"request_too_large"', slow: '"code":"request_timeout"' },
  chat: { large: '"code":"request_too_large"', slow: '"code":"request_timeout"' },
  messages: {
    large: '{"type":"error","error":{"type":"request_too_large","message":',
    slow: '{"type":"error","error":{"type":"timeout_error","message":',
  },
  ollama: {
    large: '{"error":"The body of the request is longer',
    slow: '{"error":"The request did not arrive in time.',
  },
};

const head = (client: TestedWire, fields: string) =>
  `POST ${PATHS[client]} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${fields}\r\n\r\n`;

describe.each(TESTED_WIRES)('a request of a %s client', (client) => {
  test('that is malformed gets the reason, and no server is asked', async () => {
    const server = await startModelServer(() => {});
    const gateway = await startGatewayProcess({ server: server.url });
    const bodies: readonly (readonly [string, number, RegExp])[] = [
      ['', 400, /not JSON/],
      ['{', 400, /not JSON/],
      ['{"model":"chat",}', 400, /not JSON/],
      ['\u0000\u0001\u0002', 400, /not JSON/],
      ['null', 400, /must be a JSON object/],
      ['[]', 400, /must be a JSON object/],
      ['"chat"', 400, /must be a JSON object/],
      ['{}', 400, /names no model/],
      ['{"model":null}', 400, /names no model/],
      ['{"model":["chat"]}', 400, /names no model/],
      ['{"model":""}', 400, /names no model/],
      ['{"model":"nobody"}', 404, /no model "nobody"/],
      [`${'['.repeat(100_000)}`, 400, /not JSON/],
    ];
    for (const [body, status, said] of bodies) {
      const answer = await ask(`${gateway.url}${PATHS[client]}`, body, { method: 'POST' });
      expect([body.slice(0, 30), answer.status]).toEqual([body.slice(0, 30), status]);
      expect(judgeAnswer({ client, stream: false }, answer).message).toMatch(said);
    }
    const encoded = await ask(`${gateway.url}${PATHS[client]}`, '{}', { headers: { 'content-encoding': 'gzip' } });
    expect(encoded.status).toBe(415);
    expect(server.exchanges).toEqual([]);
    expect(await gateway.active()).toBe(0);
    await gateway.stop();
  });

  test('with another content type is still read', async () => {
    const server = await startModelServer(({ response }) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"heard","type":"invalid_request_error"}}');
    });
    const gateway = await startGatewayProcess({ server: server.url });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8', '*']) {
      const headers = { 'content-type': type };
      const answer = await ask(`${gateway.url}${PATHS[client]}`, requestFor(client, { model: client }), { headers });
      expect(judgeAnswer({ client, stream: false }, answer)).toMatchObject({ end: 'refused', message: 'heard' });
    }
    await gateway.stop();
  });

  test('that is too large is refused before it is read', async () => {
    const server = await startModelServer(() => {});
    const gateway = await startGatewayProcess({ server: server.url, gateway: { max_body_bytes: 1000 } });
    const big = JSON.stringify({ model: 'chat', x: 'y'.repeat(2000) });
    const part = big.slice(0, 500);
    const told = await converse(gateway.port, `${head(client, `Content-Length: ${big.length}`)}${part}`);
    const endless = { piece: `400\r\n${'z'.repeat(1024)}\r\n`, everyMs: 5 };
    const untold = await converse(gateway.port, head(client, 'Transfer-Encoding: chunked'), endless);
    for (const text of [told, untold]) {
      expect(text).toMatch(/^HTTP\/1\.1 413 /);
      expect(text.toLowerCase()).toContain('connection: close');
      expect(text).toContain(REASONS[client].large);
    }
    expect(server.exchanges).toEqual([]);
    await eventually(() => gateway.active()).toBe(0);
    await gateway.stop();
  });

  test('that trickles in has no more time than an exchange', async () => {
    const server = await startModelServer(() => {});
    const gateway = await startGatewayProcess({ server: server.url, gateway: { max_exchange_ms: 600 } });
    const drip = { piece: ' ', everyMs: 40 };
    const text = await converse(gateway.port, `${head(client, 'Content-Length: 100000')}{"model"`, drip);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain(REASONS[client].slow);
    expect(await gateway.event('gateway.exchange', 0)).toMatchObject({ status: 408 });
    await eventually(() => gateway.active()).toBe(0);
    await gateway.stop();
  });
});
