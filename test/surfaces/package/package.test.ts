import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const repository = join(import.meta.dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
};
/** `oxbow`, `oxbow/wire`, … */
const subpaths = Object.keys(manifest.exports).map((path) => path.replace('.', 'oxbow'));
const modules = subpaths.filter((path) => !path.endsWith('.json'));

let root: string;
let project: string;
let tarball: string;
let packed: readonly string[];

/** Runs a program and returns its output. Throws with all of its output. */
function run(command: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: root, npm_config_cache: join(root, 'cache') };
  try {
    return execFileSync(command, args, { cwd: project, env, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  }
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'oxbow-package-'));
  project = join(root, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"name":"project","private":true,"type":"module"}');
  // The tree is built already; prepack would build it again.
  const folders = [repository, ...readdirSync(terminals).map((name) => join(terminals, name))];
  const said = run('npm', 'pack', ...folders, '--ignore-scripts', '--json', '--pack-destination', root);
  const entries = JSON.parse(said) as { filename: string; files: { path: string }[] }[];
  const [own = '', ...others] = entries.map(({ filename }) => join(root, filename));
  tarball = own;
  packed = entries[0]?.files.map(({ path }) => path) ?? [];
  run(
    'npm',
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--offline',
    '--omit=optional',
    tarball,
    ...others,
  );
}, 120_000);

/** Packages with compiled code are not bundled. Here they come from the repository's own node_modules. */
const terminals = join(repository, 'node_modules/@lydell');

afterAll(() => rmSync(root, { recursive: true, force: true }));

test('the package is small and has no sources, tests or build metadata', () => {
  expect(statSync(tarball).size).toBeLessThan(15 * 1024 * 1024);
  expect(packed).toEqual(expect.arrayContaining(['bin/oxbow', 'dist/program/cli.js', 'LICENSE', 'README.md']));
  const allowed =
    /^(bin|docs)\/|^dist\/.*(\.js|\.js\.cache|\.js\.map|\.d\.ts)$|^dist\/program\/package\.json$|^(package\.json|[A-Z][A-Z_]*(\.md)?)$/;
  expect(packed.filter((path) => !allowed.test(path) || /\.test\.|fixtures/.test(path))).toEqual([]);
});

test('each entry has one file of declarations', () => {
  const names = modules.map((path) => (path === 'oxbow' ? 'index' : path.replace('oxbow/', '')));
  const declarations = packed.filter((path) => path.endsWith('.d.ts'));
  expect(new Set(declarations)).toEqual(new Set(names.map((name) => `dist/${name}.d.ts`)));
});

test('it installs only the package for terminals and, where it is available, the one for images', () => {
  const tree = JSON.parse(run('npm', 'ls', '--all', '--json'));
  expect(Object.keys(tree.dependencies.oxbow.dependencies)).toEqual(['@lydell/node-pty', 'sharp']);
  expect(run('ls', 'node_modules').trim().split('\n')).toEqual(['@lydell', 'oxbow']);
});

test('a command gets a terminal, and without the package an error that says so', () => {
  writeFileSync(join(project, 'terminal.mjs'), TERMINAL);
  expect(run('node', 'terminal.mjs')).toContain('/dev/pts/');
  renameSync(join(project, 'node_modules/@lydell'), join(root, 'lydell'));
  expect(run('node', 'terminal.mjs')).toMatch(/terminal/);
  renameSync(join(root, 'lydell'), join(project, 'node_modules/@lydell'));
});

test('the installed program runs', () => {
  expect(run('node_modules/.bin/oxbow', '--version')).toBe(`oxbow ${manifest.version}\n`);
  expect(run('node_modules/.bin/oxbow', 'demo', '--fast')).toContain('and with 0 after it');
});

test('every subpath can be imported and, except for the manifest, required', () => {
  const lines = subpaths.map((path) => {
    const json = path.endsWith('.json') ? `, { with: { type: 'json' } }` : '';
    return `console.log(Object.keys(await import('${path}'${json})).length > 0);`;
  });
  writeFileSync(join(project, 'imports.mjs'), lines.join('\n'));
  expect(run('node', 'imports.mjs')).toBe('true\n'.repeat(subpaths.length));
  writeFileSync(join(project, 'requires.cjs'), modules.map((path) => `require('${path}');`).join('\n'));
  run('node', 'requires.cjs');
});

test('strict programs type-check, and one that exports what it got has declarations', () => {
  const imports = subpaths.map((path, index) => {
    const json = path.endsWith('.json');
    return `import ${json ? '' : '* as '}m${index} from '${path}'${json ? ` with { type: 'json' }` : ''};`;
  });
  const everySubpath = `${imports.join('\n')}\n${PROGRAM}`;
  const programs = { 'every-subpath': everySubpath, exports: EXPORTS, shared: SHARED, codex: CODEX_PROGRAM };
  const declarations = { declaration: true, emitDeclarationOnly: true, outDir: 'declarations' };
  expect(typeErrors(programs, { ...declarations, noImplicitReturns: true })).toBe('');
  expect(readFileSync(join(project, 'declarations/exports.d.ts'), 'utf8')).toContain('import("oxbow").Config');
  // The declarations themselves have been checked.
  const bundler = { noEmit: true, skipLibCheck: true, module: 'esnext', moduleResolution: 'bundler' };
  expect(typeErrors({ 'every-subpath': everySubpath }, bundler)).toBe('');
});

/** Returns the errors of the compiler for programs that use the package, by name, or an empty text. */
function typeErrors(programs: Readonly<Record<string, string>>, more: Readonly<Record<string, unknown>>): string {
  const files = Object.keys(programs).map((name) => `${name}.ts`);
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(project, `${name}.ts`), text);
  const options = {
    strict: true,
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    resolveJsonModule: true,
    types: ['node'],
    typeRoots: [join(repository, 'node_modules/@types')],
    ...more,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }));
  return run('node', join(repository, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json');
}

const TERMINAL = `
import { createAgent } from 'oxbow';
import { call, reply, say, startScriptedModel } from 'oxbow/testing';

const model = await startScriptedModel([reply(call('exec_command', { cmd: 'tty', tty: true })), reply(say('done'))]);
const agent = createAgent({
  settings: {
    model: 'm',
    model_provider: 'x',
    sandbox_mode: 'danger-full-access',
    model_providers: { x: { base_url: model.url, wire_api: 'responses' } },
  },
});
const thread = await agent.startThread({ ephemeral: true });
await thread.run('go');
console.log(model.requests[1].body.input.at(-1).output);
await thread.close();
await model.close();
`;

const PROGRAM = `
import { createAgent, type Event } from 'oxbow';
import { call, reply, say, startScriptedModel } from 'oxbow/testing';

export async function ask(onEvent: (event: Event) => void): Promise<string> {
  const model = await startScriptedModel([reply(call('exec_command', { cmd: 'ls' })), reply(say('done'))]);
  const agent = createAgent({
    settings: { model: 'm', model_provider: 'x', model_providers: { x: { base_url: model.url } } },
  });
  const thread = await agent.startThread({ ephemeral: true, onEvent });
  const result = await thread.run('go');
  await thread.close();
  // @ts-expect-error A text is no number: the types are really there.
  const wrong: number = result.finalResponse;
  return String(wrong);
}
`;

const EXPORTS = `
import { createAgent, createServers, defineTool } from 'oxbow';
import { createGateway } from 'oxbow/gateway';
import { environmentFromExec, modelFromLanguageModel } from 'oxbow/adapters';
import { createMemoryStore, threadFacts } from 'oxbow/store';
import { reply, say, startScriptedModel } from 'oxbow/testing';
import { loadWire, repairStream } from 'oxbow/wire';
import { Codex } from 'oxbow/codex-sdk';

export const servers = createServers();
export const store = createMemoryStore();
export const agent = createAgent({ servers, store });
export const { config, provider, threads } = agent;
export const { policy, project, modelProviders, modelPrices, gateway: gatewayConfig, tools: toolsConfig } = config;
export const { compaction, snapshots, rules, shellEnvironment, projectDocs, env } = config;
export const { webSearch } = toolsConfig;
export const { compat, wire } = provider;
export const thread = await agent.startThread();
export const { state, queue, steer, run, runStreamed, compact } = thread;
export const { history, meta } = state;
export const result = await run('go');
export const { items, ledger, error, usage } = result;
export const [item] = items;
export const messages = items.filter((shown) => shown.type === 'agent_message');
export const compacted = await compact();
export const streamed = await runStreamed('go');
export const { events } = streamed;
export const spent = await agent.usage('x');
export const replayed = await agent.replay('x');
export const details = await threads.show('x');
export const tool = defineTool({
  name: 'add',
  description: 'Adds.',
  parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  run: ({ a }) => String(a + 1),
});
export const { spec, plan } = tool;
export const onEvent = (event: import('oxbow').Event) => (event.type === 'request.ended' ? event : undefined);
export const options = (all: import('oxbow').AgentOptions) => [all.world, all.origins, all.environment, all.fetch] as const;
export const limits = (all: import('oxbow').RunOptions) => all.limits;
export const gateway = createGateway();
export const far = environmentFromExec;
export const languageModel = modelFromLanguageModel;
export const facts = threadFacts;
export const lines = (log: import('oxbow/store').Log) => log.append;
export const model = await startScriptedModel([reply(say('done'))]);
export const { requests } = model;
export const chat = await loadWire('chat');
export const repair = repairStream;
export const codexThread = new Codex().startThread();
export const codexTurn = await codexThread.run('go');
`;

const SHARED = `
import { LostThread, type AgentOptions, type ThreadStore } from 'oxbow';
import { createMemoryStore, LostThread as LostInStore, type ThreadStore as StoreOfStore } from 'oxbow/store';
import type { ModelEvent } from 'oxbow';
import type { ModelEvent as EventOfWire } from 'oxbow/wire';

type Same<A, B> = [A, B] extends [B, A] ? true : false;
export const same: [Same<ThreadStore, StoreOfStore>, Same<LostThread, LostInStore>, Same<ModelEvent, EventOfWire>] =
  [true, true, true];
export const options: AgentOptions = { store: createMemoryStore() };
`;

const CODEX_PROGRAM = `
import {
  Codex,
  Thread,
  type AgentMessageItem,
  type ApprovalMode,
  type CodexOptions,
  type CommandExecutionItem,
  type CyberAccessProgram,
  type ErrorItem,
  type FileChangeItem,
  type Input,
  type ItemCompletedEvent,
  type ItemStartedEvent,
  type ItemUpdatedEvent,
  type McpToolCallItem,
  type ModelReasoningEffort,
  type ReasoningItem,
  type RunResult,
  type RunStreamedResult,
  type SandboxMode,
  type ThreadError,
  type ThreadErrorEvent,
  type ThreadEvent,
  type ThreadItem,
  type ThreadOptions,
  type ThreadStartedEvent,
  type TodoListItem,
  type TurnCompletedEvent,
  type TurnFailedEvent,
  type TurnOptions,
  type TurnStartedEvent,
  type Usage,
  type UserInput,
  type WebSearchItem,
  type WebSearchMode,
} from 'oxbow/codex-sdk';

const effort: ModelReasoningEffort = 'high';
const sandboxMode: SandboxMode = 'workspace-write';
const approvalPolicy: ApprovalMode = 'never';
const webSearchMode: WebSearchMode = 'live';
const cyberAccessProgram: CyberAccessProgram = 'standard';
const options: CodexOptions = { config: { model: 'm', tools: { view_image: false } }, configOverrides: ['a=1'] };
const threadOptions: ThreadOptions = { modelReasoningEffort: effort, sandboxMode, approvalPolicy, webSearchMode };
threadOptions.model = 'other';
threadOptions.additionalDirectories = ['/tmp'];
threadOptions.additionalDirectories.push('/var/tmp');

export function describe(item: ThreadItem): string {
  switch (item.type) {
    case 'agent_message':
      return (item satisfies AgentMessageItem).text;
    case 'reasoning':
      return (item satisfies ReasoningItem).text;
    case 'command_execution':
      return commandLine(item);
    case 'file_change':
      return (item satisfies FileChangeItem).changes.map(({ kind, path }) => kind + path).join();
    case 'mcp_tool_call':
      return mcpText(item);
    case 'web_search':
      return (item satisfies WebSearchItem).query;
    case 'todo_list':
      return (item satisfies TodoListItem).items.filter((todo) => todo.completed).map(({ text }) => text).join();
    case 'error':
      return (item satisfies ErrorItem).message;
    default:
      return item satisfies never;
  }
}

const commandLine = ({ command, exit_code }: CommandExecutionItem): string => command + (exit_code?.toFixed() ?? '');

function mcpText({ server, tool, result, error }: McpToolCallItem): string {
  const texts = result?.content.map((part) => (part.type === 'text' ? part.text : part.type)) ?? [];
  return [server, tool, error?.message, ...texts].join();
}

type Completed = Extract<ThreadEvent, { type: 'item.completed' }>;
const completed: Completed[] = [];

export function follow(event: ThreadEvent): string | Usage | ThreadError {
  switch (event.type) {
    case 'thread.started':
      return (event satisfies ThreadStartedEvent).thread_id;
    case 'turn.started':
      return (event satisfies TurnStartedEvent).type;
    case 'turn.completed':
      return (event satisfies TurnCompletedEvent).usage;
    case 'turn.failed':
      return (event satisfies TurnFailedEvent).error;
    case 'item.started':
      return describe((event satisfies ItemStartedEvent).item);
    case 'item.updated':
      return describe((event satisfies ItemUpdatedEvent).item);
    case 'item.completed':
      completed.push(event satisfies ItemCompletedEvent);
      return describe(event.item);
    case 'error':
      return (event satisfies ThreadErrorEvent).message;
    default:
      return event satisfies never;
  }
}

export async function main(parts: UserInput[], signal: AbortSignal): Promise<string> {
  const codex = new Codex(options);
  const thread: Thread = codex.startThread(threadOptions);
  const turnOptions: TurnOptions = { outputSchema: {}, signal, cyberAccessProgram };
  const input: Input = parts;
  const turn: RunResult = await thread.run(input, turnOptions);
  turn.items.push({ id: 'x', type: 'agent_message', text: 'mine' });
  const logged: Record<string, unknown>[] = turn.items;
  const streamed: RunStreamedResult = await codex.resumeThread(thread.id ?? '').runStreamed('go');
  for await (const event of streamed.events) follow(event);
  return turn.finalResponse + String(turn.usage?.input_tokens) + String(logged.length);
}
`;
