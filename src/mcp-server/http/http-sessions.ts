import { randomUUID } from 'node:crypto';
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { isRecord } from '../../base/json-schema.ts';
import { errorResponse } from './error-response.ts';

/** Connections of clients that speak a revision with sessions: those before 2026-07-28. */
export interface HttpSessions {
  /** Answers a request. `body` is the parsed body. */
  answer(request: Request, body: unknown): Promise<Response>;
  /** Called when the answer to a request has been sent. */
  ended(request: Request): void;
  close(): Promise<void>;
}

export interface SessionLimits {
  /** Time after the last request until a session ends. */
  readonly idleMs: number;
  readonly most: number;
}

const LIMITS: SessionLimits = { idleMs: 30 * 60_000, most: 256 };

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Number of requests that are being answered. */
  running: number;
  timer: NodeJS.Timeout | undefined;
}

/** Sessions by their ids, the one that was used least recently first. */
type SessionMap = Map<string, Session>;

export function createHttpSessions(create: () => Server, limits: SessionLimits = LIMITS): HttpSessions {
  const sessions: SessionMap = new Map();
  const running = new WeakMap<Request, Session>();

  function use(id: string, session: Session, request: Request): void {
    clearTimeout(session.timer);
    session.running++;
    running.set(request, session);
    sessions.delete(id);
    sessions.set(id, session);
  }

  return {
    async answer(request, body) {
      const id = request.headers.get('mcp-session-id');
      const known = id === null ? undefined : sessions.get(id);
      if (id !== null && known !== undefined) {
        use(id, known, request);
        return known.transport.handleRequest(request, { parsedBody: body });
      }
      if (id !== null) return errorResponse(404, 'Session not found. Send initialize to begin another one.');
      if (!isInitialize(body))
        return errorResponse(400, 'The header Mcp-Session-Id is missing. Send initialize first to get a session.');
      if (!(await makeRoom(sessions, limits.most)))
        return errorResponse(503, `There are ${limits.most} sessions already, all of them busy.`);
      const session = await begin(sessions, create());
      const response = await session.transport.handleRequest(request, { parsedBody: body });
      const { sessionId } = session.transport;
      if (sessionId !== undefined && sessions.has(sessionId)) use(sessionId, session, request);
      else await session.transport.close();
      return response;
    },
    ended(request) {
      const session = running.get(request);
      if (session === undefined) return;
      running.delete(request);
      session.running--;
      if (session.running > 0 || !sessions.has(session.transport.sessionId ?? '')) return;
      session.timer = setTimeout(() => void session.transport.close(), limits.idleMs);
      session.timer.unref();
    },
    async close() {
      await Promise.allSettled([...sessions.values()].map(({ transport }) => transport.close()));
    },
  };
}

/** Returns a session that joins the others once its client has initialized it. */
async function begin(sessions: SessionMap, server: Server): Promise<Session> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, session),
    // The body was read with a limit of its own.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  });
  const session: Session = { transport, running: 0, timer: undefined };
  await server.connect(transport);
  const { onclose } = transport;
  transport.onclose = () => {
    clearTimeout(session.timer);
    sessions.delete(transport.sessionId ?? '');
    onclose?.();
  };
  return session;
}

/** Ends a session without requests if there is no room for another one. Reports whether there is room. */
async function makeRoom(sessions: SessionMap, most: number): Promise<boolean> {
  if (sessions.size < most) return true;
  const idle = [...sessions.values()].find((session) => session.running === 0);
  await idle?.transport.close();
  return idle !== undefined;
}

function isInitialize(body: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.some((message) => isRecord(message) && message.method === 'initialize');
}
