import { abortSignalOf } from './end-signal.ts';
import { bodyPieces, type HttpResponse, type HttpSender, type SendOptions } from './http.ts';
import { delayInText, retryAfterMs } from './retry.ts';
import { type Limiting, takePermit } from './take-permit.ts';

/**
 * Returns a client that asks a limiter before it sends. A permit is held until the answer has ended. The meter of the
 * request tells the usage in the answer.
 */
export function limitedHttp(http: HttpSender, limiting: Limiting): HttpSender {
  const size = createRequestSize();
  return {
    async send(url, options) {
      const { signal, meter } = options;
      const bytes = bytesOf(options.body);
      const end = await takePermit({ signal: abortSignalOf(signal), estimate: size.tokens(bytes), meter }, limiting);
      try {
        const response = await http.send(url, options);
        return permitted(response, limiting.world.now(), (asked) => {
          const { usage, retryAfterMs = asked } = meter ?? {};
          if (usage) size.learn(bytes, usage.totalTokens);
          end({
            status: response.status,
            ...(retryAfterMs !== undefined && { retryAfterMs }),
            ...(usage && { usage }),
          });
        });
      } catch (error) {
        end({ status: null });
        throw error;
      }
    },
  };
}

/** Text has about four bytes a token. Images have many more, so each thread goes by its last answer. */
const FIRST_BYTES_PER_TOKEN = 4;

/** Returns an estimate of the tokens of requests by their bytes. */
function createRequestSize() {
  let tokensPerByte = 1 / FIRST_BYTES_PER_TOKEN;
  return {
    tokens: (bytes: number) => Math.ceil(bytes * tokensPerByte),
    learn(bytes: number, tokens: number): void {
      if (bytes > 0 && tokens > 0) tokensPerByte = tokens / bytes;
    },
  };
}

function bytesOf(body: SendOptions['body']): number {
  return bodyPieces(body).reduce((sum, piece) => sum + piece.byteLength, 0);
}

/** Statuses of servers that take no requests for a while. */
const BUSY: ReadonlySet<number> = new Set([429, 503, 529]);

/** Returns a response that reports its end, and the time that a busy server asks to wait, once. */
function permitted(response: HttpResponse, now: number, onEnd: (asked: number | undefined) => void): HttpResponse {
  const { status, headers } = response;
  const busy = BUSY.has(status);
  let text = '';
  const end = () => onEnd(busy ? (retryAfterMs(headers, now) ?? delayInText(text)) : undefined);
  return {
    status,
    headers,
    async read(idleTimeoutMs) {
      try {
        const bytes = await response.read(idleTimeoutMs);
        if (bytes !== null && busy) text += Buffer.from(bytes).toString();
        // The last frame of an answer is decoded after its last bytes and may hold the usage, so that an answer ends later.
        if (bytes === null && status >= 400) end();
        return bytes;
      } catch (error) {
        end();
        throw error;
      }
    },
    release() {
      end();
      response.release();
    },
    close() {
      end();
      response.close();
    },
  };
}
