import type { Transform } from 'node:stream';
import { brokenError, type HttpResponse } from '../http.ts';

/**
 * Returns a response whose body is no longer compressed: some servers and proxies compress answers that should not be. A
 * response in a coding that cannot be read stays as it is. The code that reads codings is loaded when it is needed.
 */
export async function decodedResponse(response: HttpResponse): Promise<HttpResponse> {
  const { 'content-encoding': coding, 'content-length': _, ...headers } = response.headers;
  const openDecoder = await loadDecoder(coding?.trim().toLowerCase());
  if (openDecoder === undefined) return response;
  const decoder = createDecoder(response, openDecoder);
  return {
    status: response.status,
    headers,
    read: decoder.read,
    release() {
      decoder.close();
      response.release();
    },
    close() {
      decoder.close();
      response.close();
    },
  };
}

/** Function that opens a decoder for a body with these first bytes. */
type OpenDecoder = (first: Uint8Array) => Transform;

async function loadDecoder(coding: string | undefined): Promise<OpenDecoder | undefined> {
  if (!CODINGS.has(coding)) return undefined;
  const zlib = await import('node:zlib');
  const { constants, createBrotliDecompress, createInflateRaw, createUnzip } = zlib;
  if (coding === 'zstd') return zstdDecoder(zlib as Zstd);
  // A body that breaks off is decoded as far as it goes. The wire knows whether its end came.
  if (coding === 'br') return () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
  const options = { finishFlush: constants.Z_SYNC_FLUSH };
  // Some servers leave out the header that `deflate` has to have.
  return ([first = 0]) =>
    coding === 'deflate' && first % 16 !== DEFLATED ? createInflateRaw(options) : createUnzip(options);
}

/** The method in the header of `deflate`. */
const DEFLATED = 8;

const CODINGS: ReadonlySet<string | undefined> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd']);

/** The part of `node:zlib` that Node has from 22.15 on. */
interface Zstd {
  readonly createZstdDecompress?: (options: object) => Transform;
}

/** `ZSTD_e_flush`, which the types of Node 20 do not have. */
const ZSTD_FLUSH = 1;

function zstdDecoder({ createZstdDecompress }: Zstd): OpenDecoder | undefined {
  return createZstdDecompress && (() => createZstdDecompress({ finishFlush: ZSTD_FLUSH }));
}

/**
 * Returns a reader of decoded bytes. It reads on only when all decoded bytes were taken, so that a short body that
 * decodes to a long one does not fill the memory.
 */
function createDecoder(response: HttpResponse, open: OpenDecoder) {
  let decoder: Transform | undefined;
  let isBusy = false;
  let isEnded = false;
  let fault: Error | undefined;
  let wake = () => {};
  const opened = (first: Uint8Array): Transform =>
    open(first)
      .on('readable', () => wake())
      .on('end', () => {
        isEnded = true;
        wake();
      })
      .on('error', (error) => {
        fault = error;
        wake();
      });
  const feed = (bytes: Uint8Array | null): void => {
    decoder ??= opened(bytes ?? new Uint8Array());
    isBusy = true;
    if (bytes === null) decoder.end();
    else
      decoder.write(bytes, () => {
        isBusy = false;
        wake();
      });
  };
  return {
    async read(idleTimeoutMs: number): Promise<Uint8Array | null> {
      for (;;) {
        const bytes: Uint8Array | null = decoder?.read() ?? null;
        if (bytes !== null) return bytes;
        if (fault !== undefined) throw brokenError(fault);
        if (isEnded) return null;
        if (isBusy) await new Promise<void>((resolve) => (wake = resolve));
        else feed(await response.read(idleTimeoutMs));
      }
    },
    close: () => void decoder?.destroy(),
  };
}
