import { messageOf } from '../base/errors.ts';
import type { McpConnection, McpServerFacts, McpTool } from '../base/mcp-connection.ts';
import { McpFault } from '../base/mcp-fault.ts';
import type { McpServerConfig } from '../base/mcp-server-config.ts';
import type { McpServerState } from '../base/mcp-state.ts';
import type { World } from '../base/world.ts';
import { cleanSchema } from './clean-schema.ts';

/** One MCP server of an agent: its connection, from the first start to the close, and its tools. */
export interface McpServer {
  readonly config: McpServerConfig;
  state(): McpServerState;
  /** Tools that are offered, in the order of the server. The array stays the same as long as the tools do. */
  tools(): readonly McpTool[];
  /** Facts about the server since its last start, or null before the first. */
  facts(): McpServerFacts | null;
  /** Starts the server, unless it was started. A server that failed a while ago is tried again. */
  start(): void;
  /** Resolves when the server has started or failed to. Never rejects. */
  settled(): Promise<void>;
  /** Returns the connection. Waits for a server that is starting. Throws `McpFault` if there is no server. */
  connection(signal: AbortSignal): Promise<McpConnection>;
  /** Resolves when a changed list of tools was read, or after a moment. Never rejects. */
  listed(): Promise<void>;
  close(): Promise<void>;
}

export interface McpServerParts {
  readonly config: McpServerConfig;
  /** Starts a connection. Throws `McpFault`. */
  connect(hooks: McpConnectHooks): Promise<McpConnection>;
  readonly world: Pick<World, 'monotonic' | 'sleep'>;
  /** Called when the state or the tools have changed. */
  onChange(state: McpServerState): void;
  /** Called with each line of the server's log. */
  onLog(level: string, text: string): void;
}

/** The functions that a connection calls, and the signal that ends its start. */
export interface McpConnectHooks {
  onToolsChanged(): void;
  /** Receives lines of the server's log, and warnings about it. */
  onLog(level: string, text: string): void;
  readonly signal: AbortSignal;
}

/** Restarts in a row, after which a server that keeps dying counts as failed. */
const MOST_RESTARTS = 5;
const FIRST_DELAY_MS = 500;
/** Time alive after which the restarts are counted anew. */
const STEADY_MS = 60_000;
/** Time after which a failed server is tried again for a new thread. */
const RETRY_MS = 60_000;
/** Time that a call waits for a list of tools that the server said has changed. */
const LIST_MS = 2000;

export function createMcpServer(options: McpServerParts): McpServer {
  const life: ServerLife = {
    ...options,
    ending: new AbortController(),
    status: 'stopped',
    message: null,
    tools: [],
    facts: null,
    connecting: undefined,
    listing: undefined,
    restarts: 0,
    failedAt: 0,
  };
  const { config, world } = options;
  return {
    config,
    state: () => stateOf(life),
    tools: () => life.tools,
    facts: () => life.facts,
    start() {
      const isDue = life.status === 'failed' && world.monotonic() - life.failedAt >= RETRY_MS;
      if (life.ending.signal.aborted || (life.status !== 'stopped' && !isDue)) return;
      life.restarts = 0;
      begin(life, 'starting');
    },
    async settled() {
      await life.connecting?.catch(() => {});
    },
    connection: (signal) => connectionOf(life, signal),
    async listed() {
      if (life.listing !== undefined) await within(LIST_MS, life.listing);
    },
    async close() {
      life.ending.abort();
      const connection = await life.connecting?.catch(() => undefined);
      await connection?.close();
    },
  };
}

interface ServerLife extends McpServerParts {
  /** Aborts when the server is closed. */
  readonly ending: AbortController;
  status: McpServerState['status'];
  message: string | null;
  tools: readonly McpTool[];
  facts: McpServerFacts | null;
  /** The connection, or the start of the next one. Undefined before the first start. */
  connecting: Promise<McpConnection> | undefined;
  /** The reading of a changed list of tools. */
  listing: Promise<void> | undefined;
  restarts: number;
  failedAt: number;
}

function stateOf({ config, status, message, tools }: ServerLife): McpServerState {
  return { server: config.name, status, tools: tools.length, message };
}

function change(life: ServerLife, status: McpServerState['status'], message: string | null = null): void {
  life.status = status;
  life.message = message;
  if (!life.ending.signal.aborted) life.onChange(stateOf(life));
}

function begin(life: ServerLife, status: 'starting' | 'restarting', delayMs = 0, message: string | null = null): void {
  change(life, status, message);
  const connecting = connect(life, delayMs);
  life.connecting = connecting;
  connecting.catch((error: unknown) => fail(life, error));
}

async function connect(life: ServerLife, delayMs: number): Promise<McpConnection> {
  const { signal } = life.ending;
  if (delayMs > 0) await life.world.sleep(delayMs, signal);
  const { onLog } = life;
  const connection = await life.connect({ signal, onLog, onToolsChanged: () => listAgain(life, connection) });
  try {
    signal.throwIfAborted();
    const tools = connection.server.has.tools ? await connection.listTools(signal) : [];
    life.facts = connection.server;
    life.tools = offered(life.config, tools, life.tools);
  } catch (error) {
    await connection.close();
    throw error;
  }
  const readyAt = life.world.monotonic();
  change(life, 'ready');
  void connection.ended.then((why) => died(life, why, life.world.monotonic() - readyAt));
  return connection;
}

/** Starts a server again that has died, a little later each time. */
function died(life: ServerLife, why: string, aliveMs: number): void {
  if (life.ending.signal.aborted) return;
  if (aliveMs >= STEADY_MS) life.restarts = 0;
  if (life.restarts >= MOST_RESTARTS) {
    const message = `${why} It has been restarted ${MOST_RESTARTS} times and is given up.`;
    const given = Promise.reject(new McpFault('start', message));
    given.catch(() => {});
    life.connecting = given;
    fail(life, new McpFault('start', message));
    return;
  }
  begin(life, 'restarting', FIRST_DELAY_MS * 2 ** life.restarts++, why);
}

/** Notes that a start has failed. A server that ran before is tried again. */
function fail(life: ServerLife, error: unknown): void {
  if (life.ending.signal.aborted) return;
  if (life.status === 'restarting' && life.restarts < MOST_RESTARTS) {
    begin(life, 'restarting', FIRST_DELAY_MS * 2 ** life.restarts++, messageOf(error));
    return;
  }
  life.tools = [];
  life.failedAt = life.world.monotonic();
  change(life, 'failed', messageOf(error));
}

/** Reads the tools of a server that has said that they have changed. The old ones stay if that fails. */
function listAgain(life: ServerLife, connection: McpConnection): void {
  const list = async () => {
    const tools = offered(life.config, await connection.listTools(life.ending.signal), life.tools);
    if (tools === life.tools) return;
    life.tools = tools;
    change(life, life.status, life.message);
  };
  // One after the other: a change during the reading may not be in what is read.
  const listing = (life.listing ?? Promise.resolve()).then(list).catch(() => {});
  life.listing = listing;
  void listing.then(() => {
    if (life.listing === listing) life.listing = undefined;
  });
}

/** Most bytes of a schema, as in Codex. */
const SCHEMA_BYTES = 8192;

/** Returns the tools that the user wants, with schemas that models can read, or the array from before if they are the same. */
function offered(config: McpServerConfig, tools: readonly McpTool[], before: readonly McpTool[]): readonly McpTool[] {
  const { enabledTools, disabledTools, schemaMaxBytes = SCHEMA_BYTES } = config;
  const wanted = tools.filter(
    ({ name }, at) =>
      (enabledTools === null || enabledTools.includes(name)) &&
      !disabledTools.includes(name) &&
      tools.findIndex((other) => other.name === name) === at,
  );
  const cleaned = wanted.map((tool) => ({ ...tool, inputSchema: cleanSchema(tool.inputSchema, schemaMaxBytes) }));
  return JSON.stringify(cleaned) === JSON.stringify(before) ? before : cleaned;
}

async function connectionOf(life: ServerLife, signal: AbortSignal): Promise<McpConnection> {
  const { name } = life.config;
  if (life.connecting === undefined) throw new McpFault('start', `The MCP server "${name}" was not started.`);
  for (;;) {
    const waited: Promise<McpConnection> = life.connecting;
    try {
      return await untilAborted(waited, signal);
    } catch (error) {
      signal.throwIfAborted();
      // A restart that failed may be followed by another one.
      if (life.connecting === waited) throw error;
    }
  }
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Waits for a promise, at most for some time or until the signal aborts. */
export async function within(ms: number, promise: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  const late = new Promise<void>((resolve) => {
    stop = resolve;
    timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
  signal?.removeEventListener('abort', stop);
}
