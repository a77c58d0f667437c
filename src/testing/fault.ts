import { type Reply, reply, say } from './reply.ts';

/** What a server does when it does not simply answer. Faults over an answer take a reply or another fault. */
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

/** What a request gets. */
export type ScriptedAnswer = Reply | Fault;

const ANYTHING = reply(say('This answer is not meant to arrive whole.'));

/** The builders of faults. Bytes are those of the body, before the transfer encoding. */
export const fault = {
  /** A status and a body; an object is sent as JSON. */
  status(code: number, body: string | object, headers: Readonly<Record<string, string>> = {}): Fault {
    return { kind: 'status', code, body, headers };
  },
  /** A page for people, as proxies send them. */
  html(code: number): Fault {
    const body = `<!DOCTYPE html>\n<html><body><h1>Error ${code}</h1></body></html>\n`;
    return { kind: 'status', code, body, headers: { 'content-type': 'text/html; charset=utf-8' } };
  },
  /** The headers of an answer, and nothing more. */
  hang(): Fault {
    return { kind: 'hang', headers: true };
  },
  /** Nothing at all, on an open connection. */
  hangBeforeHeaders(): Fault {
    return { kind: 'hang', headers: false };
  },
  /** A connection reset (RST) after so many bytes. Bytes that the client had not read by then may be lost to it. */
  reset(afterBytes: number, of: ScriptedAnswer = ANYTHING): Fault {
    return { kind: 'reset', of, afterBytes, headers: true };
  },
  /** A connection reset in place of an answer. */
  resetBeforeHeaders(): Fault {
    return { kind: 'reset', of: ANYTHING, afterBytes: 0, headers: false };
  },
  /** The connection is closed (FIN) in the middle of the body, without the end that the transfer encoding requires. */
  cut(of: ScriptedAnswer, atByte: number): Fault {
    return { kind: 'cut', of, atByte };
  },
  /** The body ends early, and the connection says that this was all. */
  truncated(of: ScriptedAnswer, atByte: number): Fault {
    return { kind: 'truncated', of, atByte };
  },
  /** The same body in pieces of `size` bytes, each sent on its own. */
  split(of: ScriptedAnswer, size: number): Fault {
    if (!Number.isInteger(size) || size < 1) throw new RangeError(`A piece has at least one byte, not ${size}.`);
    return { kind: 'split', of, size };
  },
  /** One frame that is not JSON, after the first frame. */
  badJson(of: ScriptedAnswer): Fault {
    return { kind: 'bad_json', of };
  },
  /** A pause of `ms` before each frame. */
  slow(of: ScriptedAnswer, ms: number): Fault {
    return { kind: 'slow', of, ms };
  },
};
