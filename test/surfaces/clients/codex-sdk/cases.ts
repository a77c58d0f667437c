import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../../../../src/testing/index.ts';
import { answer, type BareFrame, type BareServer, calling, created, failed, startBareServer } from './bare-server.ts';
import type { SdkDriver, SdkResult, SdkThreadOptions, SdkTurn } from './drivers.ts';

type Asked = Partial<Omit<SdkTurn, 'thread'>> & { readonly thread?: SdkThreadOptions };

interface Client {
  readonly server: BareServer;
  readonly workspace: TempWorkspace;
  ask(input: SdkTurn['input'], options?: Asked): Promise<SdkResult>;
}

/** Tests the program as Codex's TypeScript SDK drives it: no model is set, and the server is a provider of its own. */
export function testSdkCases(run: SdkDriver): void {
  const open = (framesOf: (n: number) => readonly BareFrame[]) => openClient(run, framesOf);
  testTurns(open);
  testOptions(open);
  testSettings(open);
  testInput(open);
  testFailures(open);
  testSignals(open);
}

type Open = (framesOf: (n: number) => readonly BareFrame[]) => Promise<Client>;

async function openClient(run: SdkDriver, framesOf: (n: number) => readonly BareFrame[]): Promise<Client> {
  const server = await startBareServer(framesOf);
  const workspace = createWorkspace();
  onTestFinished(() => workspace.dispose());
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, CODEX_HOME: workspace.home };
  const ask: Client['ask'] = (input, { thread, ...options } = {}) =>
    run({
      input,
      env,
      config: mock(server.url),
      ...options,
      thread: { workingDirectory: workspace.path, ...thread },
    });
  return { server, workspace, ask };
}

/** Returns settings for a provider of the program that uses the SDK. */
function mock(url: string): SdkTurn['config'] {
  return [
    ['model_provider', '"mock"'],
    ['model_providers.mock.name', '"Mock"'],
    ['model_providers.mock.base_url', JSON.stringify(url)],
    ['model_providers.mock.wire_api', '"responses"'],
    ['model_providers.mock.supports_websockets', 'false'],
  ];
}

const two = (n: number) => answer(n === 0 ? 'first answer' : 'second answer');

function idOf({ events }: SdkResult): string {
  return String(events.find(({ type }) => type === 'thread.started')?.thread_id);
}

function finalOf({ events }: SdkResult): unknown {
  return events.findLast(({ item }) => item?.type === 'agent_message')?.item?.text;
}

function expectCompleted(result: SdkResult, text: string): void {
  expect(result.error).toBeUndefined();
  expect(finalOf(result)).toBe(text);
  expect(result.events.at(-1)?.type).toBe('turn.completed');
}

/** Expects that the second request goes on where the first one ended. */
function expectContinued({ requests }: BareServer, input: string): void {
  expect(requests).toHaveLength(2);
  const items = requests[1]?.body.input;
  expect(items?.at(-1)).toMatchObject({ role: 'user', content: [{ type: 'input_text', text: input }] });
  const said = items?.filter(({ role }) => role === 'assistant');
  expect(said).toMatchObject([{ content: [{ type: 'output_text', text: 'first answer' }] }]);
}

function testTurns(open: Open): void {
  test('a turn has exactly these events, and the tokens of the server', async () => {
    const { ask, server } = await open(() => answer('Hello.'));
    const { events, error } = await ask('Say hello');
    expect(error).toBeUndefined();
    expect(events).toEqual([
      { type: 'thread.started', thread_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'Hello.' } },
      {
        type: 'turn.completed',
        usage: {
          input_tokens: 30,
          cached_input_tokens: 7,
          cache_write_input_tokens: 0,
          output_tokens: 4,
          reasoning_output_tokens: 0,
        },
      },
    ]);
    expect(server.requests[0]?.body.model).toMatch(/./);
  });

  test('a second turn of the same thread sends the items of the first', async () => {
    const { ask, server } = await open(two);
    const threadId = idOf(await ask('first question'));
    expectCompleted(await ask('second question', { threadId }), 'second answer');
    expectContinued(server, 'second question');
  });

  test('a second turn with the same options goes on too', async () => {
    const { ask, server } = await open(two);
    const thread = { model: 'some-model', sandboxMode: 'workspace-write' };
    const threadId = idOf(await ask('first question', { thread }));
    expectCompleted(await ask('second question', { thread, threadId }), 'second answer');
    expectContinued(server, 'second question');
    expect(server.requests.map(({ body }) => body.model)).toEqual(['some-model', 'some-model']);
  });

  test('a thread that is resumed keeps its id', async () => {
    const { ask } = await open(two);
    const threadId = idOf(await ask('first question'));
    const resumed = await ask('second question', { threadId });
    expect(idOf(resumed)).toBe(threadId);
    expectCompleted(resumed, 'second answer');
  });

  test('a thread that is resumed gets images, whose flags stand after its id', async () => {
    const { ask, server, workspace } = await open(two);
    const threadId = idOf(await ask('first question'));
    const path = workspace.write('a.png', PNG);
    const input = [{ type: 'text', text: 'Look' } as const, { type: 'local_image', path } as const];
    expectCompleted(await ask(input, { threadId }), 'second answer');
    expect(JSON.stringify(server.requests[1]?.body.input.at(-1))).toContain('data:image/png;base64,');
  });
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const SCHEMA = {
  type: 'object',
  properties: { result: { type: 'string' } },
  required: ['result'],
  additionalProperties: false,
};

function testOptions(open: Open): void {
  const cases: readonly (readonly [name: string, options: Asked, expected: object])[] = [
    ['model and sandbox', { thread: { model: 'other', sandboxMode: 'workspace-write' } }, { model: 'other' }],
    ['effort', { thread: { modelReasoningEffort: 'high' } }, { reasoning: { effort: 'high' } }],
    ['network access', { thread: { networkAccessEnabled: true } }, {}],
    ['web search', { thread: { webSearchEnabled: true } }, {}],
    ['web search from a cache', { thread: { webSearchMode: 'cached' } }, {}],
    ['no web search', { thread: { webSearchEnabled: false } }, {}],
    ['approvals', { thread: { approvalPolicy: 'on-request' } }, {}],
    ['the source of a thread', { thread: { threadSource: 'user' } }, {}],
    ['folders, of which one does not exist', { thread: { additionalDirectories: ['../nowhere', '/tmp'] } }, {}],
    [
      'a schema',
      { outputSchema: SCHEMA },
      { text: { format: { name: 'codex_output_schema', type: 'json_schema', strict: true, schema: SCHEMA } } },
    ],
  ];
  test.each(cases)('options: %s', async (_name, options, expected) => {
    const { ask, server } = await open(() => answer('{"result":"done"}'));
    expectCompleted(await ask('Go on', options), '{"result":"done"}');
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.body).toMatchObject(expected);
  });
}

function testSettings(open: Open): void {
  test('settings of the client: lists, tables, and keys that no program knows', async () => {
    const { ask, server } = await open(() => answer('Done.'));
    const config = [
      ...mock(server.url),
      ['approval_policy', '"never"'],
      ['sandbox_workspace_write.network_access', 'true'],
      ['retry_count', '3'],
      ['own_rules.allow', '["git status", "git diff"]'],
    ] as const;
    expectCompleted(await ask('Go on', { config }), 'Done.');
  });

  test('an option of the thread comes after a setting of the client, and wins', async () => {
    const { ask, server, workspace } = await open((n) =>
      n === 0 ? calling('exec_command', { cmd: 'touch made' }, n) : answer('Done.'),
    );
    const config = [...mock(server.url), ['sandbox_mode', '"read-only"']] as const;
    const thread = { sandboxMode: 'danger-full-access', approvalPolicy: 'never' };
    expectCompleted(await ask('Go on', { config, thread }), 'Done.');
    expect(existsSync(workspace.file('made'))).toBe(true);
  });

  test('an address and a key instead of a provider', async () => {
    const { ask, server } = await open(() => answer('Done.'));
    expectCompleted(await ask('Go on', { config: [], baseUrl: server.url, apiKey: 'some-key' }), 'Done.');
    expect(server.requests[0]?.headers.authorization).toBe('Bearer some-key');
  });

  test('the server learns which client asks', async () => {
    const { ask, server } = await open(() => answer('Done.'));
    expectCompleted(await ask('Go on'), 'Done.');
    expect(server.requests[0]?.headers.originator).toBe('codex_sdk_ts');
  });

  test('commands run in the folder of the thread, which needs no repository where the client says so', async () => {
    const { ask, workspace } = await open((n) =>
      n === 0 ? calling('exec_command', { cmd: 'pwd > where' }, n) : answer('Done.'),
    );
    const thread = { workingDirectory: workspace.home, skipGitRepoCheck: true, sandboxMode: 'danger-full-access' };
    expectCompleted(await ask('Go on', { thread }), 'Done.');
    expect(readFileSync(`${workspace.home}/where`, 'utf8').trim()).toBe(workspace.home);
  });
}

function testInput(open: Open): void {
  test('texts are joined by an empty line', async () => {
    const { ask, server } = await open(() => answer('Done.'));
    const input = ['Look at the changes', 'Name the tests'].map((text) => ({ type: 'text', text }) as const);
    expectCompleted(await ask(input), 'Done.');
    const text = 'Look at the changes\n\nName the tests';
    expect(server.requests[0]?.body.input.at(-1)).toMatchObject({ content: [{ text }] });
  });

  test('files that are not images do not stop the turn', async () => {
    const { ask, server, workspace } = await open(() => answer('Done.'));
    const images = ['a.png', 'b.jpg'].map((name) => workspace.write(name, `not an image: ${name}`));
    const input = [{ type: 'text', text: 'Look' } as const];
    expectCompleted(await ask([...input, ...images.map((path) => ({ type: 'local_image', path }) as const)]), 'Done.');
    expect(server.requests).toHaveLength(1);
    const sent = JSON.stringify(server.requests[0]?.body.input.at(-1));
    for (const path of images) expect(sent).toContain(path);
    expect(sent).not.toContain('input_image');
  });
}

function testFailures(open: Open): void {
  test('a folder that is not in a repository', async () => {
    const { ask, server, workspace } = await open(() => answer('Done.'));
    const { events, error } = await ask('Go on', { thread: { workingDirectory: workspace.home } });
    expect(error).toContain('Not inside a trusted directory');
    expect(events).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  test('a stream without an end, and then only failures', async () => {
    const { ask } = await open((n) => (n === 0 ? [created] : [failed('too many requests')]));
    const started = performance.now();
    const { events, error } = await ask('Go on');
    expect(error).toBeDefined();
    const message = expect.stringMatching(/^stream disconnected before completion: /);
    expect(events.at(-1)).toMatchObject({ type: 'turn.failed', error: { message } });
    // The SDK's own test gives up after ten seconds.
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('a setting that cannot be read ends the program with an error and no events', async () => {
    const { ask, server } = await open(() => answer('Done.'));
    const { events, error } = await ask('Go on', { config: [...mock(server.url), ['sandbox_mode', '17']] });
    expect(error).toContain('sandbox_mode');
    expect(events).toEqual([]);
  });
}

function testSignals(open: Open): void {
  const endless = (n: number) => calling('exec_command', { cmd: 'echo again' }, n);

  test('a signal that was aborted before', async () => {
    const { ask, server } = await open(endless);
    const { events, error } = await ask('Go on', { signal: AbortSignal.abort() });
    expect(error).toMatch(/abort/i);
    expect(events).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  test('a signal soon after the start', async () => {
    const { ask } = await open(endless);
    const { error } = await ask('Go on', { signal: AbortSignal.timeout(10) });
    expect(error).toMatch(/abort/i);
  });

  test('a signal in the middle of endless calls', async () => {
    const { ask, server } = await open(endless);
    const controller = new AbortController();
    let seen = 0;
    const onEvent = () => {
      if (++seen === 5) controller.abort();
    };
    const { error } = await ask('Go on', { signal: controller.signal, onEvent });
    expect(error).toMatch(/abort/i);
    const before = server.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(server.requests.length - before).toBeLessThanOrEqual(1);
  });

  test('a signal that is never aborted changes nothing', async () => {
    const { ask } = await open(() => answer('Done.'));
    expectCompleted(await ask('Go on', { signal: new AbortController().signal }), 'Done.');
  });
}
