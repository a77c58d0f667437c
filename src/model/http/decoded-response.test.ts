import { randomBytes } from 'node:crypto';
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HttpResponse } from '../http.ts';
import { decodedResponse } from './decoded-response.ts';

/** Returns a response whose body comes in these pieces, and the number of pieces that were read. */
function responseOf(coding: string, pieces: readonly Uint8Array[]) {
  let at = 0;
  const response: HttpResponse = {
    status: 200,
    headers: { 'content-encoding': coding, 'content-length': '9', 'content-type': 'text/plain' },
    read: async () => pieces[at++] ?? null,
    release() {},
    close() {},
  };
  return { response, taken: () => at };
}

async function textOf(response: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const bytes = await response.read(1000);
    if (bytes === null) return Buffer.concat(chunks).toString();
    chunks.push(bytes);
  }
}

function cut(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
}

const { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } = zlib;
/** Node has it from 22.15 on. */
const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: typeof gzipSync };

const CODECS = {
  gzip: gzipSync,
  'X-GZIP': gzipSync,
  deflate: deflateSync,
  'deflate ': deflateRawSync,
  br: brotliCompressSync,
  ...(zstdCompressSync && { zstd: zstdCompressSync }),
} as const;

describe.each(Object.entries(CODECS))('a body as %s', (coding, encode) => {
  test('is decoded, wherever it is cut', () =>
    fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 300 }), fc.integer({ min: 1, max: 50 }), async (text, size) => {
        const { response } = responseOf(coding, cut(encode(text), size));
        const decoded = await decodedResponse(response);
        expect(decoded.headers).toEqual({ 'content-type': 'text/plain' });
        expect(await textOf(decoded)).toBe(text);
      }),
      { numRuns: 20 },
    ));

  test('that breaks off is decoded as far as it goes', async () => {
    // More than a block of zstd, which is decoded as a whole.
    const bytes = encode(randomBytes(300_000));
    const { response } = responseOf(coding, [bytes.subarray(0, bytes.length - 20)]);
    expect((await textOf(await decodedResponse(response))).length).toBeGreaterThan(0);
  });

  test('that decodes to a long one is decoded as it is read', async () => {
    const { response, taken } = responseOf(coding, cut(encode(Buffer.alloc(64 * 1024 * 1024)), 16));
    const decoded = await decodedResponse(response);
    const first = await decoded.read(1000);
    expect(first?.length).toBeLessThan(1024 * 1024);
    expect(taken()).toBeLessThan(100);
    decoded.close();
  });
});

test('bytes that are not in their coding break the response', async () => {
  const { response } = responseOf('gzip', [Buffer.from('data: plain\n\n')]);
  await expect(textOf(await decodedResponse(response))).rejects.toMatchObject({ code: 'stream_broken' });
});

test.each([...(zstdCompressSync ? [] : ['zstd']), 'gzip, br', 'identity'])(
  'a response as %s stays as it is',
  async (coding) => {
    const { response } = responseOf(coding, []);
    expect(await decodedResponse(response)).toBe(response);
  },
);
