import { ModelError, messageOf } from '../base/errors.ts';
import { END_ERRORS } from '../cassette/cassette.ts';
import type { ExchangeTap, TappedExchange } from './exchange-tap.ts';
import type { HttpResponse, HttpSender, SendOptions } from './http.ts';

/**
 * Returns a client that reports its exchanges to a tap. Bytes that come after a response was released are not reported.
 */
export function tapHttp(http: HttpSender, tap: ExchangeTap): HttpSender {
  return {
    async send(url, options) {
      const { method = 'POST', headers, body, signal } = options;
      const exchange = endingOnce(tap.request({ method, url: url.href, headers, body }));
      try {
        const response = await http.send(url, { ...options, unjoined: true });
        exchange.response(response);
        return tapped(response, exchange, signal);
      } catch (error) {
        exchange.end(reasonOf(error, signal));
        throw error;
      }
    },
  };
}

function endingOnce(exchange: TappedExchange): TappedExchange {
  let over = false;
  return {
    response: (head) => exchange.response(head),
    chunk: (bytes) => exchange.chunk(bytes),
    end(error) {
      if (!over) exchange.end(error);
      over = true;
    },
  };
}

function tapped(response: HttpResponse, exchange: TappedExchange, signal: SendOptions['signal']): HttpResponse {
  return {
    status: response.status,
    headers: response.headers,
    async read(idleTimeoutMs) {
      try {
        const bytes = await response.read(idleTimeoutMs);
        if (bytes === null) exchange.end();
        else exchange.chunk(bytes);
        return bytes;
      } catch (error) {
        exchange.end(reasonOf(error, signal));
        throw error;
      }
    },
    release() {
      exchange.end();
      response.release();
    },
    close() {
      exchange.end(END_ERRORS.interrupted);
      response.close();
    },
  };
}

/** Returns why an exchange ended early, so that a replay can end it in the same way. */
function reasonOf(error: unknown, signal: SendOptions['signal']): string {
  if (signal.aborted) return END_ERRORS.interrupted;
  if (!(error instanceof ModelError)) return codeOf(error) ?? messageOf(error);
  if (error.code === 'idle_timeout') return END_ERRORS.idle;
  // Node reports any end of the connection inside a body as an abort.
  const why = error.cause === undefined ? 'aborted' : messageOf(error.cause);
  return why === 'aborted' ? END_ERRORS.closed : why;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
