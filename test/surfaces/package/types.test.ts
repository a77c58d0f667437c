import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { typeErrors } from './check-types.ts';
import { REPOSITORY } from './doc-pages.ts';
import { publicComments } from './public-comments.ts';
import { unnamedTypes } from './unnamed-types.ts';

const { exports } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
};
const entries = Object.entries(exports).flatMap(([path, entry]) =>
  typeof entry === 'string' ? [] : [[path.replace('.', 'oxbow'), join(REPOSITORY, entry.types)] as const],
);

/** All entries, read once. */
const declared = ts.createProgram(
  entries.map(([, path]) => path),
  {
    strict: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: ['node'],
  },
);

/** Types that programs need no name for, and why. */
const HIDDEN = {
  EdgeWire: 'the side of a wire that only a gateway uses',
  Gateway: 'EmbeddedGateway has its members',
  InferType: 'a step of Infer',
  PlainSettings: 'Config has its members',
  RepairContext: 'RepairOptions has the members that programs set',
  SharedByThreads: 'the parameter of a constructor that Codex calls',
  Values: 'WebSearchConfig has its members',
  ValuesOf: 'a step from a table of settings to the type of its values',
};

test.each(entries)('every type that %s reaches can be imported from it', (_, path) => {
  expect(unnamedTypes(declared, path, new Set(Object.keys(HIDDEN)))).toEqual([]);
});

test.each(entries)('every declaration of %s has a comment', (_, path) => {
  const bare = publicComments(declared, path).filter(({ name, text }) => text === '' && !name.includes('.'));
  expect(bare.map(({ name }) => name)).toEqual([]);
});

/** Interfaces that a program meets first. */
const FIRST = [
  'Agent',
  'AgentOptions',
  'ThreadOptions',
  'ForkOptions',
  'Thread',
  'RunOptions',
  'LimitSettings',
  'CompletedTurn',
  'StreamedTurn',
  'Threads',
  'Usage',
  'Warning',
  'TurnError',
  'ToolDefinition',
  'OwnToolContext',
];

describe('the comments of the library', () => {
  const [[, path = ''] = []] = entries;
  const comments = publicComments(declared, path);

  test.each(FIRST)('%s says what each member means', (name) => {
    const members = comments.filter((comment) => comment.name.startsWith(`${name}.`));
    expect(members).not.toEqual([]);
    expect(members.filter(({ text }) => text === '').map((member) => member.name)).toEqual([]);
  });

  test('have examples, which compile', () => {
    const examples = comments.filter(({ example }) => example !== '');
    expect(examples.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'createAgent',
        'createLimiter',
        'createServers',
        'defineTool',
        'Agent.startThread',
        'Agent.resumeThread',
        'Thread.run',
        'Thread.runStreamed',
      ]),
    );
    const imports = "import { createAgent, createLimiter, createServers, defineTool } from 'oxbow';\n";
    const blocks = examples.map(({ name, example }) => ({
      page: name,
      line: 0,
      language: 'ts',
      text: `${imports}${example}\n`,
    }));
    const names = { agent: `import('oxbow').Agent`, thread: `import('oxbow').Thread` };
    expect(typeErrors(blocks, names)).toEqual([]);
  });
});

describe('settings', () => {
  const WRONG = [
    "{ modell: 'x' }",
    "{ sandbox_mode: 'nonsense' }",
    '{ model_providers: { mine: { base_ulr: 1 } } }',
    "{ tools: { web_search: { mode: 'sometimes' } } }",
    '{ snapshots: { enabled: 1 } }',
    "{ profiles: { careful: { sandbox_mode: 'nonsense' } } }",
  ];
  const RIGHT = `{
    model: process.env.MODEL,
    approval_policy: { granular: { sandbox_approval: false } },
    tools: { web_search: true, view_image: { enabled: false }, apply_patch: 'freeform' },
    model_providers: { mine: { base_url: 'http://127.0.0.1/v1', http_headers: { a: 'b' }, compat: { schemas: ['plain'] } } },
    gateway: { key_env: 'KEY', models: { fast: 'mine/small', slow: { provider: 'mine' } } },
    shell_environment_policy: { set: { CI: '1' } },
    model_prices: { 'my-model': { input: 1, output: 2 } },
    projects: { '/srv/project': { trust_level: 'trusted' } },
    profiles: { careful: { sandbox_mode: 'read-only' } },
  }`;
  const program = (settings: string, n: number) => ({
    page: `settings-${n}`,
    line: 0,
    language: 'ts',
    text: `import { createAgent, type Settings } from 'oxbow';\nexport const settings: Settings = ${settings};\ncreateAgent({ settings });\n`,
  });

  test('of every kind are typed, and each wrong one does not compile', () => {
    const errors = typeErrors([RIGHT, ...WRONG].map(program), {});
    expect(errors.map((error) => error.split(':', 1)[0])).toEqual(WRONG.map((_, n) => `settings-${n + 1}`));
  });
});
