import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished } from 'vitest';
import type { Script } from '../../../src/testing/index.ts';
import { cleanEnvironment, PROGRAM } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import { type ConfigTable, scriptedConfig } from '../../harness/scripted-config.ts';
import { type RunningProgram, startProgram } from '../../harness/start-program.ts';
import { testInTurn } from '../../harness/test-in-turn.ts';

/** A way to reach the server, and a revision of the protocol. */
export interface Way {
  readonly over: 'stdio' | 'http';
  readonly revision: '2025-11-25' | '2026-07-28';
}

export const WAYS: readonly Way[] = (['stdio', 'http'] as const).flatMap((over) => [
  { over, revision: '2025-11-25' },
  { over, revision: '2026-07-28' },
]);

/** Defines tests of a way. In a quick run each test has both transports and both revisions, in two of the four ways. */
export function testOf({ over, revision }: Way): ReturnType<typeof testInTurn> {
  return testInTurn(Number(over === 'http') + Number(revision === '2026-07-28'));
}

/** An event of `codex/event`, as it came. */
export interface CodexEvent {
  readonly _meta: { readonly requestId: unknown; readonly threadId: string };
  readonly id: string;
  readonly msg: { readonly type: string; readonly [field: string]: unknown };
}

export interface CodexAnswer {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: { readonly threadId: string; readonly content: string };
  readonly isError?: boolean;
}

export interface McpScene extends Scene {
  /** Connects a client. Every client over stdio has a server of its own. */
  connect(options?: ConnectOptions): Promise<McpClient>;
  /** Pid of the server over HTTP. */
  readonly serverPid: number | undefined;
  /** Ends the server over HTTP and starts another one. */
  restart(): Promise<void>;
}

interface ConnectOptions {
  /** Answers elicitations. Without it the client does not declare that it can be asked. */
  readonly onElicit?: (params: Readonly<Record<string, unknown>>) => unknown;
}

export interface McpClient {
  readonly client: Client;
  readonly events: readonly CodexEvent[];
  /** Pid of the server over stdio. */
  readonly pid: number | null;
  call(name: string, input: Record<string, unknown>, options?: object): Promise<CodexAnswer>;
  /** Resolves when an event of this type has come. */
  event(type: string): Promise<CodexEvent>;
  close(): Promise<void>;
}

/** Starts a scripted model, a workspace and, for HTTP, a server. */
export async function mcpScene(way: Way, script: Script, config: ConfigTable = {}): Promise<McpScene> {
  const made = await scene(script, { 'a.txt': 'one\n' });
  made.workspace.configure(scriptedConfig(made.model.url, config));
  let http = way.over === 'http' ? await startHttp(made) : undefined;
  return {
    ...made,
    serverPid: http?.program.pid,
    async restart() {
      if (http === undefined) return;
      http.program.kill('SIGTERM');
      expect(await http.program.wait()).toMatchObject({ code: 0 });
      http = await startHttp(made);
    },
    async connect(options = {}) {
      const { client, events, waitFor } = createClient(way, options);
      const transport = http === undefined ? stdioTo(made) : new StreamableHTTPClientTransport(new URL(http.url));
      await client.connect(transport);
      let closing: Promise<void> | undefined;
      const close = () => {
        closing ??= client.close();
        return closing;
      };
      onTestFinished(close);
      return {
        client,
        events,
        pid: transport instanceof StdioClientTransport ? transport.pid : null,
        call: async (name, input, more) =>
          (await client.callTool({ name, arguments: input }, { timeout: 60_000, ...more })) as unknown as CodexAnswer,
        event: waitFor,
        close,
      };
    },
  };
}

function stdioTo({ workspace }: Scene): StdioClientTransport {
  return new StdioClientTransport({
    command: PROGRAM,
    args: ['mcp-server'],
    env: cleanEnvironment(workspace),
    cwd: workspace.path,
    stderr: 'pipe',
  });
}

async function startHttp({ workspace }: Scene): Promise<{ readonly url: string; readonly program: RunningProgram }> {
  const started = await startMcpHttp(workspace, ['--no-key']);
  onTestFinished(async () => {
    started.program.kill('SIGTERM');
    await started.program.wait();
  });
  return started;
}

/** Starts the server over HTTP on a free port. */
export async function startMcpHttp(
  workspace: Scene['workspace'],
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly url: string; readonly said: string; readonly program: RunningProgram }> {
  const program = await startProgram({
    command: PROGRAM,
    args: ['mcp-server', '--http', '0', ...flags],
    cwd: workspace.path,
    env: { ...cleanEnvironment(workspace), ...env },
    timeoutMs: 120_000,
  });
  const said = await program.waitForError(/(?:.*Bearer \S+\n)?.*The MCP server is at \S+\n/);
  const [, url = ''] = /is at (\S+)/.exec(said) ?? [];
  return { url, said, program };
}

function createClient({ revision }: Way, { onElicit }: ConnectOptions) {
  const options: ClientOptions = {
    capabilities: onElicit === undefined ? {} : { elicitation: { form: {} } },
    ...(revision === '2025-11-25' ? {} : { versionNegotiation: { mode: { pin: revision } } }),
  };
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  const events: CodexEvent[] = [];
  let waiting: (() => void)[] = [];
  client.fallbackNotificationHandler = async ({ method, params }) => {
    if (method !== 'codex/event') return;
    events.push(params as unknown as CodexEvent);
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  if (onElicit !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => onElicit(params as never) as never);
  async function waitFor(type: string): Promise<CodexEvent> {
    for (;;) {
      const found = events.find(({ msg }) => msg.type === type);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  }
  return { client, events, waitFor };
}
