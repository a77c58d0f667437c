import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const SECRET = 'S3cr3tS3cr3t';

const WITHHELD = {
  DATABASE_URL: `postgres://me:${SECRET}@host/db`,
  DB_PASSWORD: SECRET,
  DOCKER_AUTH_CONFIG: SECRET,
  GITHUB_PAT: SECRET,
  MYSQL_PWD: SECRET,
  MY_CREDENTIALS: SECRET,
  PGPASSWORD: SECRET,
  SENTRY_DSN: SECRET,
  SMTP_PASS: SECRET,
};
const PASSED = {
  GIT_AUTHOR_NAME: 'me',
  GIT_ASKPASS: '/bin/ask',
  SSH_AUTH_SOCK: '/run/agent',
  XAUTHORITY: '/x',
};
const env = { ...WITHHELD, ...PASSED };
const print = `env | grep -E '^(${Object.keys(env).join('|')})=' | sort`;
const lines = (variables: object) =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}`)
    .sort();

describe.each(['read-only', 'danger-full-access'])('variables that look like credentials, in %s,', (mode) => {
  test.skipIf(!existsSync('/usr/bin/bwrap'))('do not reach the commands of the model, except named ones', async () => {
    for (const [keep, kept] of [
      [[], {}],
      [['pgpass*', 'DATABASE_URL'], { PGPASSWORD: SECRET, DATABASE_URL: WITHHELD.DATABASE_URL }],
    ] as const) {
      const s = await scene([reply(call('exec_command', { cmd: print }, { callId: 'c' })), reply(say('done'))]);
      const config = { sandbox_mode: mode, shell_environment_policy: { keep } };
      await runOxbow(['exec', 'go'], { ...s, config, env });
      const [, output = ''] = (s.outputs(1).get('c') ?? '').split('Output:\n');
      expect(output.trimEnd().split('\n')).toEqual(lines({ ...PASSED, ...kept }));
    }
  });

  test.skipIf(!existsSync('/usr/bin/bwrap'))('do not reach oxbow sandbox', async () => {
    const { workspace } = await scene([]);
    const { stdout } = await runOxbow(['sandbox', '-s', mode, '--', 'bash', '-c', print], { workspace, env });
    expect(stdout.trimEnd().split('\n')).toEqual(lines(PASSED));
  });
});

test('doctor lists the names of withheld variables, and never a value', async () => {
  const { workspace } = await scene([]);
  for (const args of [[], ['--json']]) {
    const { stdout, stderr } = await runOxbow(['doctor', ...args], { workspace, env });
    for (const name of [...Object.keys(WITHHELD), 'SCRIPTED_KEY'])
      expect(stdout).toMatch(new RegExp(`credentials: .*\\b${name}\\b`));
    expect(stdout + stderr).not.toContain(SECRET);
  }
});

const secretUrl = `http://user:${SECRET}@127.0.0.1:1/v1?api_key=${SECRET}&api-version=1`;

test('an address with a password and a key is shown without them, by doctor, config, errors and the log', async () => {
  const { workspace } = await scene([]);
  const provider = (url: string) =>
    `model = "m"\nmodel_provider = "x"\nlog_level = "debug"\nopenai_base_url = "${secretUrl}"\n[model_providers.x]\nbase_url = "${url}"\nrequest_max_retries = 0\nstream_max_retries = 0\n`;
  workspace.configure(provider(secretUrl));
  for (const args of [['doctor'], ['doctor', '--json'], ['config'], ['config', '--json']]) {
    const { stdout, stderr } = await runOxbow(args, { workspace });
    expect(stdout).toMatch(/127\.0\.0\.1:1\/v1\?api_key=\[(?:redacted|hidden)\]&api-version=1/);
    expect(stdout + stderr, args.join(' ')).not.toContain(SECRET);
  }
  const failed = await runOxbow(['exec', '--debug', 'go'], { workspace });
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('127.0.0.1:1');
  expect(failed.stdout + failed.stderr).not.toContain(SECRET);
  workspace.configure(provider(`htp://user:${SECRET}@host`));
  for (const args of [['exec', 'go'], ['doctor']]) {
    const { stdout, stderr } = await runOxbow(args, { workspace });
    expect(stdout + stderr).toContain('is not a web address: "htp://[redacted]@host"');
    expect(stdout + stderr).not.toContain(SECRET);
  }
  const gateway = await runOxbow(['gateway', '--upstream', `ftp://user:${SECRET}@host`], { workspace });
  expect(gateway.stderr).toContain('"ftp://[redacted]@host" is not a web address');
  expect(gateway.stderr).not.toContain(SECRET);
});
