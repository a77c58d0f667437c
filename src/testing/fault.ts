import { type Reply, reply, say } from './reply.ts';

/** A fault that a server shows instead of a plain answer. Some faults are applied to a reply or to another fault. */
export type Fault =
  | {
      readonly kind: 'status';
      readonly code: number;
      readonly body: string | object;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'hang'; readonly headers: boolean }
  | { readonly kind: 'reset'; readonly of: ScriptedAnswer; readonly afterBytes: number; readonly headers: boolean }
  | { readonly kind: 'cut'; readonly of: ScriptedAnswer; readonly atByte: number }
  | { readonly kind: 'truncated'; readonly of: ScriptedAnswer; readonly atByte: number }
  | { readonly kind: 'split'; readonly of: ScriptedAnswer; readonly size: number }
  | { readonly kind: 'bad_json'; readonly of: ScriptedAnswer }
  | { readonly kind: 'slow'; readonly of: ScriptedAnswer; readonly ms: number };

/** Answer to a request. */
export type ScriptedAnswer = Reply | Fault;

const ANYTHING = reply(say('This answer is not meant to arrive whole.'));

/** Builders of faults. Positions count bytes of the body, before the transfer encoding. */
export const fault = {
  /** Returns a status and a body. An object is sent as JSON. */
  status(code: number, body: string | object, headers: Readonly<Record<string, string>> = {}): Fault {
    return { kind: 'status', code, body, headers };
  },
  /** Returns an HTML page, as proxies send them. */
  html(code: number): Fault {
    const body = `<!DOCTYPE html>\n<html><body><h1>Error ${code}</h1></body></html>\n`;
    return { kind: 'status', code, body, headers: { 'content-type': 'text/html; charset=utf-8' } };
  },
  /** Sends the headers of an answer, and nothing more. */
  hang(): Fault {
    return { kind: 'hang', headers: true };
  },
  /** Sends nothing on an open connection. */
  hangBeforeHeaders(): Fault {
    return { kind: 'hang', headers: false };
  },
  /** Resets the connection (RST) after `afterBytes` bytes. The client may lose bytes that it has not read by then. */
  reset(afterBytes: number, of: ScriptedAnswer = ANYTHING): Fault {
    return { kind: 'reset', of, afterBytes, headers: true };
  },
  /** Resets the connection instead of an answer. */
  resetBeforeHeaders(): Fault {
    return { kind: 'reset', of: ANYTHING, afterBytes: 0, headers: false };
  },
  /** Closes the connection (FIN) in the middle of the body, without the end that the transfer encoding requires. */
  cut(of: ScriptedAnswer, atByte: number): Fault {
    return { kind: 'cut', of, atByte };
  },
  /** Ends the body early, with the proper end of the transfer encoding. */
  truncated(of: ScriptedAnswer, atByte: number): Fault {
    return { kind: 'truncated', of, atByte };
  },
  /** Sends the body in pieces of `size` bytes, each on its own. */
  split(of: ScriptedAnswer, size: number): Fault {
    if (!Number.isInteger(size) || size < 1) throw new RangeError(`A piece has at least one byte, not ${size}.`);
    return { kind: 'split', of, size };
  },
  /** Inserts a frame that is not JSON after the first frame. */
  badJson(of: ScriptedAnswer): Fault {
    return { kind: 'bad_json', of };
  },
  /** Waits `ms` milliseconds before each frame. */
  slow(of: ScriptedAnswer, ms: number): Fault {
    return { kind: 'slow', of, ms };
  },
};
