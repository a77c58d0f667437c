/** Set-ups for the examples in the pages: the model, the files, and the names that programs use. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { call, reply, type Script, say } from '../../../src/testing/index.ts';
import type { Scene } from '../../harness/scene.ts';
import { type ConfigTable, scriptedConfig } from '../../harness/scripted-config.ts';
import { PLANTED } from '../probe/planted.ts';
import { MODEL, startQuirky } from '../probe/quirky-server.ts';
import { blocksOf, type ShownCommand } from './doc-pages.ts';

/** Runs oxbow in the workspace and returns its standard output. */
export type Run = (...args: string[]) => Promise<string>;

export interface PageSetup {
  readonly script?: Script;
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: ConfigTable;
  /** The path of a program that the examples need and that not every machine has. */
  readonly needs?: string;
  /** Runs before the examples. Returns texts of the page and the texts that take their place. */
  prepare?(s: Scene, run: Run): Promise<Readonly<Record<string, string>>>;
  /** Returns the part of a line of output that has to be the same. Numbers, times and ids are already replaced. */
  look?(line: string): string;
  /** Exit codes other than 0, by the command. */
  readonly codes?: Readonly<Record<string, number>>;
}

const working: Script = ({ body }) =>
  body.input?.at(-1)?.type === 'message' ? reply(call('exec_command', { cmd: 'touch touched' })) : reply(say('Done.'));

/** Answers the programs of a page without a script of its own. */
export const ANSWERING: Script = ({ body }) => reply(say(body.text ? REVIEW : 'Done.'));

const REVIEW = '{"verdict":"change","findings":[{"file":"a.js","line":null,"text":"It never ends."}]}';

export const SETUPS: Readonly<Record<string, PageSetup>> = {
  'README.md': {
    files: {
      'package.json': '{"name":"greet","version":"1.0.0","private":true,"scripts":{"test":"node test.mjs"}}',
      'test.mjs': `console.log('3 passed');`,
    },
    async prepare({ workspace }) {
      const url = await startBrokenServer();
      const providers = ['mine', 'ollama'].map(
        (name) => `[model_providers.${name}]\nbase_url = "${url}"\nwire_api = "chat"\n`,
      );
      workspace.configure(
        `model = "glm-4.6"\nmodel_provider = "mine"\nsandbox_mode = "danger-full-access"\n${providers.join('')}`,
      );
      return {};
    },
  },
  'docs/apply-patch.md': { files: { 'src/greet.ts': "export function greet() {\n  return 'hello';\n}\n" } },
  'docs/approvals.md': { files: { 'team.rules': blocksOf('docs/approvals.md').find(isRules)?.text ?? '' } },
  'docs/cassettes.md': {
    script: ({ body }) =>
      body.input?.at(-1)?.type === 'message'
        ? reply(call('exec_command', { cmd: 'echo a b' }))
        : reply(say('There are two files.')),
  },
  'docs/coming-from-codex.md': {
    async prepare({ workspace, model }) {
      mkdirSync(join(workspace.home, '.codex'));
      writeFileSync(join(workspace.home, '.codex/config.toml'), scriptedConfig(model.url));
      return {};
    },
  },
  'docs/configuration.md': {
    async prepare() {
      return { 'oxbow trust ~/site': 'oxbow trust --yes' };
    },
  },
  'docs/doctor.md': { look: (line) => /^(?:ok|warn|fail) (\S+)/.exec(line)?.[1] ?? '', needs: '/usr/bin/bwrap' },
  'docs/exec.md': {
    async prepare({ workspace }) {
      const git = (...args: string[]) => execFileSync('git', ['-C', workspace.path, ...NAMED, ...args]);
      git('commit', '-q', '--allow-empty', '-m', 'first');
      git('checkout', '-q', '-b', 'work');
      git('commit', '-q', '--allow-empty', '-m', 'second');
      workspace.write('new.txt', 'new\n');
      git('add', 'new.txt');
      return {};
    },
  },
  'docs/probe.md': {
    look: (line) => (/localhost|127|base_url/.test(line) ? '' : line),
    async prepare() {
      const { url } = await startQuirky({
        chunks: PLANTED['stop instead of tool_calls']?.chunks ?? ((chunks) => chunks),
        refuse: PLANTED['only the newer token limit']?.refuse ?? (() => undefined),
      });
      return { 'http://localhost:8000/v1': url, '-m qwen3': `-m ${MODEL}` };
    },
  },
  'docs/replay.md': { script: working, prepare: (_, run) => threadOf(run, '01a1dfaa-5614', 'one', 'two', 'three') },
  'docs/sandbox.md': {
    needs: '/usr/bin/bwrap',
    codes: { 'oxbow sandbox -- touch file': 1 },
    config: { sandbox_mode: 'read-only' },
  },
  'docs/snapshots.md': {
    script: working,
    config: { snapshots: { enabled: true } },
    async prepare(_, run) {
      const ids = await threadOf(run, '01a1dfaa-5614', 'one', 'two', 'three');
      return { ...ids, '# asks first; --yes does not ask': '--yes' };
    },
  },
  'docs/threads.md': { prepare: (_, run) => threadOf(run, '01a1dfaa-5614', 'one', 'two', 'three') },
  'docs/usage.md': {
    config: { model_prices: { scripted: { input: 1, output: 1 } } },
    prepare: (_, run) => threadOf(run, '01a1dfbf', 'make the test pass', 'now add one for the CLI'),
  },
};

/** Types of names that blocks of TypeScript use and do not declare. */
export const NAMES: Readonly<Record<string, string>> = {
  agent: "import('oxbow').Agent",
  anthropic: "(name: string) => import('oxbow/adapters').LanguageModel",
  body: 'AsyncIterable<Uint8Array>',
  createAgent: "typeof import('oxbow').createAgent",
  defineTool: "typeof import('oxbow').defineTool",
  folders: 'readonly string[]',
  handle: "(events: readonly import('oxbow/wire').ModelEvent[]) => void",
  id: 'string',
  inContainer: "() => import('oxbow').Environment",
  myStore: "(database: unknown) => import('oxbow').ThreadStore",
  newDatabase: '() => Promise<{ endLease(id: string): void; drop(): Promise<void> }>',
  openai: "(name: string) => import('oxbow/adapters').LanguageModel",
  queue: '{ enter(tokens: number, signal: AbortSignal): Promise<string>; leave(place: string, end: object): void }',
  request: "import('oxbow/wire').ModelRequest",
  shop: '{ order(article: string, count: number, options: object): Promise<string> }',
  test: '(name: string, run: () => void | Promise<void>) => void',
  thread: "import('oxbow').Thread",
  vault: '{ token(provider: string, options: { fresh: boolean }): Promise<string> }',
};

/** Values of some of these names. A block whose free names all have one is run. */
export const VALUES: Readonly<Record<string, string>> = {
  agent: "(await import('oxbow')).createAgent()",
  anthropic: "(modelId) => ({ specificationVersion: 'v2', provider: 'anthropic', modelId, supportedUrls: {} })",
  body: `[Buffer.from('data: {"choices":[{"delta":{"content":"Hello"}}]}\\n\\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\\n\\ndata: [DONE]\\n\\n')]`,
  createAgent: "(await import('oxbow')).createAgent",
  defineTool: "(await import('oxbow')).defineTool",
  folders: "['.', 'your-project']",
  handle: '() => {}',
  id: "await (await import('oxbow')).createAgent().startThread().then(async (one) => (await one.run('go'), await one.close(), one.id))",
  openai: "(modelId) => ({ specificationVersion: 'v2', provider: 'openai', modelId, supportedUrls: {} })",
  queue: "{ enter: async () => 'place', leave: () => {} }",
  request: "{ model: 'm', input: [], tools: [] }",
  shop: "{ order: async () => 'ordered' }",
  thread: "await (await import('oxbow')).createAgent().startThread()",
  vault: "{ token: async () => 'x' }",
};

const NAMED = ['-c', 'user.name=me', '-c', 'user.email=me@example.org'];

function isRules({ language }: { readonly language: string }): boolean {
  return language === 'python';
}

/** Makes a thread with a turn for each input, and returns its id in the place of the one in the page. */
export async function threadOf(run: Run, shown: string, ...inputs: readonly string[]): Promise<Record<string, string>> {
  for (const [index, input] of inputs.entries())
    await run('exec', ...(index === 0 ? [input] : ['resume', '--last', input]));
  const [{ id }] = JSON.parse(await run('threads', '--json')) as [{ id: string }];
  return { [shown]: id };
}

/** Starts a chat server that answers "run the tests" with the broken stream of the README. */
async function startBrokenServer(): Promise<string> {
  const stream =
    blocksOf('README.md')
      .find(({ text }) => text.startsWith('data: '))
      ?.text.replaceAll('\n', '\n\n') ?? '';
  const words = (text: string) =>
    `data: {"choices":[{"delta":{"content":"${text}"}}]}\n\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const isCalling = body.includes('"run the tests"') && !body.includes('"role":"tool"');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(isCalling ? stream : words('All three tests pass.'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** Returns a line of output without numbers and ids, which differ from run to run. Exit codes stay. */
export function sameEverywhere(line: string): string {
  return line
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+/g, 'ID')
    .replace(/(?<!exit )\$?\b\d[\d.,]*( ?(s|ms|B|kB|MB))?(?!\w)/g, 'N')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns a command as it is run: with texts replaced, and a gateway on a free port. */
export function runnable(
  { command }: Pick<ShownCommand, 'command'>,
  replaced: Readonly<Record<string, string>>,
): string {
  const text = Object.entries(replaced).reduce((line, [from, to]) => line.replaceAll(from, to), command);
  return isServer(text) ? `${text.replace(/ +#.*$/, '')} --port 0` : text;
}

/** Reports whether a command runs until a signal ends it. */
export function isServer(command: string): boolean {
  return /^oxbow gateway(?! [a-z])/.test(command) && !command.includes('--for');
}
