import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../app/agent.ts';
import { loadConfig } from '../../config/load-config.ts';
import { type DoctorFacts, examine } from './checks.ts';

const config = (settings: Record<string, unknown> = {}) =>
  ({
    ok: true,
    value: loadConfig({ env: { HOME: '/nowhere' }, cwd: tmpdir(), systemFile: '/nowhere', settings }),
  }) as const;

const FACTS: DoctorFacts = {
  node: '20.19.0',
  platform: 'linux',
  processor: 'x64',
  version: '1.0.0',
  home: { ok: true, value: tmpdir() },
  homeFrom: 'default',
  codexHome: undefined,
  config: config(),
  files: [],
  agent: { ok: false, why: 'no model' },
  online: undefined,
  machine: {
    sandbox: { type: 'bubblewrap', text: 'Sandbox: bubblewrap.' },
    promises: undefined,
    noFilter: undefined,
    versions: { git: 'git 2', bubblewrap: 'bubblewrap 0.8.0', perl: 'perl 5' },
    noTerminals: undefined,
    fitsImages: true,
    withheld: [],
  },
  servers: [],
  terminal: { isTTY: true, columns: 80, term: 'xterm', colors: true },
};

function row(id: string, facts: Partial<DoctorFacts>) {
  return examine({ ...FACTS, ...facts }).find((one) => one.id === id);
}

const machine = (more: Partial<DoctorFacts['machine'] & object>) => {
  if (FACTS.machine === undefined) throw new Error('There are no facts of the machine.');
  return { ...FACTS.machine, ...more };
};

test.each([
  ['18.20.0', 'fail'],
  ['20.18.9', 'fail'],
  ['20.19.0', 'ok'],
  ['22.0.0', 'ok'],
])('Node %s is %s', (node, status) => expect(row('runtime', { node })?.status).toBe(status));

describe('a proxy', () => {
  const agentWith = (env: Record<string, string>, baseUrl: string): DoctorFacts['agent'] => {
    const { value } = config();
    const provider = { name: 'P', baseUrl } as Agent['provider'];
    return { ok: true, value: { provider, model: 'm', config: { ...value, env } } };
  };
  const env = { HTTPS_PROXY: 'http://user:pass@proxy:3128', NO_PROXY: 'inside.example' };

  test('that is used is named, without its password', () => {
    const found = row('proxy', { agent: agentWith(env, 'https://api.example.org/v1') });
    const what = 'requests to the model go through http://proxy:3128 (HTTPS_PROXY), with a user name and a password';
    expect(found).toMatchObject({ status: 'ok', what });
  });

  test.each([
    ['socks5://user:pass@proxy:1080', /ALL_PROXY names a proxy of the kind socks5, which is not supported/],
    ['http://user:pass@', /ALL_PROXY is not the address of a proxy/],
  ])('that cannot be used fails: %s', (address, words) => {
    const found = row('proxy', { agent: agentWith({ ALL_PROXY: address }, 'https://api.example.org/v1') });
    expect(found).toMatchObject({ status: 'fail', what: expect.stringMatching(words) });
    expect(JSON.stringify(found)).not.toContain('user:');
  });

  test.each(['https://a.inside.example/v1', 'http://127.0.0.1:1/v1'])('does not concern %s', (baseUrl) => {
    expect(row('proxy', { agent: agentWith(env, baseUrl) })).toBeUndefined();
  });
});

describe('the sandbox', () => {
  const none = machine({ sandbox: { type: 'none', text: 'No OS sandbox available: x. To fix: y.' } });

  test('that is missing fails and says what to do', () => {
    expect(row('sandbox', { machine: none })).toEqual({
      id: 'sandbox',
      status: 'fail',
      what: 'No OS sandbox available: x. To fix: y.',
      fix: expect.stringContaining('--sandbox danger-full-access'),
    });
  });

  test('that is missing and not wanted is a warning', () => {
    const facts = { machine: none, config: config({ sandbox_mode: 'danger-full-access' }) };
    expect(row('sandbox', facts)?.status).toBe('warn');
  });

  test('with limits is a warning that names them', () => {
    const limited = machine({ sandbox: { type: 'landlock', text: 'Sandbox: Landlock (limits).' } });
    expect(row('sandbox', { machine: limited })).toMatchObject({
      status: 'warn',
      what: 'read-only. Sandbox: Landlock (limits).',
    });
  });
});

test('a missing network filter is a warning only when hosts are configured', () => {
  const without = machine({ noFilter: 'there is no nsenter' });
  const wanted = config({ sandbox_workspace_write: { allowed_domains: ['a.org'] } });
  expect(row('allowed_domains', { machine: without })?.status).toBe('ok');
  expect(row('allowed_domains', { machine: without, config: wanted })?.status).toBe('warn');
});

test('terminals and images need packages with compiled code', () => {
  expect(row('terminals', {})).toMatchObject({ status: 'ok' });
  expect(row('images', {})).toMatchObject({ status: 'ok' });
  const bare = { machine: machine({ noTerminals: 'There are no terminals.', fitsImages: false }) };
  expect(row('terminals', bare)).toMatchObject({ status: 'warn', what: 'There are no terminals.' });
  expect(row('images', bare)).toMatchObject({ status: 'warn', what: expect.stringContaining('sharp') });
});

test('missing programs are warnings, and programs for Linux are checked on Linux only', () => {
  const bare = machine({ versions: { git: undefined, bubblewrap: undefined, perl: undefined } });
  for (const id of ['git', 'bubblewrap', 'perl']) expect(row(id, { machine: bare })?.status).toBe('warn');
  expect(row('bubblewrap', { machine: bare, platform: 'darwin' })).toBeUndefined();
});

test('without a configuration only the checks that need none run', () => {
  const ids = examine({ ...FACTS, config: { ok: false, why: 'wrong' }, machine: undefined }).map(({ id }) => id);
  expect(ids).toEqual(['runtime', 'program', 'home', 'config', 'terminal']);
});
