import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BARE_VIEW, endingEnvironment, functionCall } from '../test-environment.ts';
import { hostedSearchSpec } from './facts.ts';
import { createTool } from './tool.ts';

const tool = createTool({ searchCommand: ['find', '-q', '{query}', '--url=x?{query}'], cwd: '/project' });
const plan = (query: unknown) => tool.plan(functionCall('web_search', { query }), BARE_VIEW);

describe('the command', () => {
  test('has the query in its words', async () => {
    expect(await plan(' a $& "b" ')).toEqual({
      kind: 'search',
      query: 'a $& "b"',
      argv: ['find', '-q', 'a $& "b"', '--url=x?a $& "b"'],
    });
  });

  test('has the same number of words for any query, and the query is never an option', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 50 }), async (query) => {
        fc.pre(query.replaceAll('\0', ' ').trim() !== '');
        const { argv } = await plan(query);
        expect(argv).toHaveLength(4);
        expect(argv[2]).not.toMatch(/^-|\0/);
        expect(argv[2]?.trim()).toBe(query.replaceAll('\0', ' ').trim());
      }),
    );
  });

  test.each([
    ['  ', '`query` is empty'],
    ['x'.repeat(2001), '`query` has more than 2000 characters'],
    [5, 'expected string, got number'],
  ])('%j is refused', async (query, reason) => {
    await expect(plan(query)).rejects.toThrow(reason);
  });

  test('must be configured', async () => {
    const none = createTool({ searchCommand: null, cwd: '/project' });
    await expect(none.plan(functionCall('web_search', { query: 'x' }), BARE_VIEW)).rejects.toThrow(
      'web_search cannot be used: no search command is configured. Go on without it.',
    );
  });
});

describe('the answer', () => {
  const run = async (text: string, exitCode: number | null) => {
    const { environment, opened, killed, waits } = endingEnvironment({ text, exitCode, waitedMs: 5 }, 20);
    return { ...(await tool.run(await plan('q'), environment)), opened, killed, waits };
  };

  test('is the output of the command, within bounds', async () => {
    const result = await run('found', 0);
    expect(result).toMatchObject({ output: 'found', success: true, killed: [], waits: [30_000] });
    expect(result.opened).toMatchObject([
      { argv: ['find', '-q', 'q', '--url=x?q'], cwd: '/project', timeoutMs: 30_000 },
    ]);
    expect((await run('x'.repeat(100), 0)).output).toBe(`${'x'.repeat(10)}…80 chars truncated…${'x'.repeat(10)}`);
  });

  test('says that it failed', async () => {
    expect(await run('no key', 2)).toMatchObject({
      output: 'err: the search failed: it ended with exit code 2.\nno key',
      success: false,
    });
    expect(await run('', null)).toMatchObject({
      output: 'err: the search failed: it took longer than 30000 ms.',
      success: false,
      failure: 'timeout',
      killed: [1000],
    });
  });
});

test.each([
  ['cached', { external_web_access: false }],
  ['indexed', { external_web_access: true, indexed_web_access: true }],
  ['live', { external_web_access: true }],
] as const)('a server is told of the mode %s', (mode, fields) => {
  expect(hostedSearchSpec({ mode, contextSize: null, allowedDomains: [], location: {} })).toEqual({
    type: 'web_search',
    ...fields,
  });
});

test('the spec for servers has the place and the extent of a search', () => {
  const spec = hostedSearchSpec({
    mode: 'live',
    contextSize: 'low',
    allowedDomains: ['a.org'],
    location: { city: 'Kassel' },
  });
  expect(spec).toEqual({
    type: 'web_search',
    external_web_access: true,
    filters: { allowed_domains: ['a.org'] },
    user_location: { type: 'approximate', city: 'Kassel' },
    search_context_size: 'low',
  });
});
