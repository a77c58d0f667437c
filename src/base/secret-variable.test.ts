import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { isSecretVariable } from './secret-variable.ts';

const WITHHELD = `OPENAI_API_KEY AWS_SECRET_ACCESS_KEY GITHUB_TOKEN githubToken
  PASSWORD DB_PASSWORD PGPASSWORD MYSQL_PASSWORD_2 dbPassword PASSWORDS DB_PASSWD PASSWD MYSQL_PWD DB_PWD
  SMTP_PASS PASS SSHPASS DB_PASS2 GPG_PASSPHRASE GOOGLE_APPLICATION_CREDENTIALS AZURE_CREDENTIAL MY_CREDS
  GITHUB_PAT AZURE_DEVOPS_EXT_PAT DOCKER_AUTH_CONFIG npm_config__auth REDISCLI_AUTH HTTP_AUTHORIZATION BASIC_AUTH
  SENTRY_DSN DSN DATABASE_DSN`
  .trim()
  .split(/\s+/);

const PASSED =
  `PATH HOME USER SHELL PWD OLDPWD TMPDIR LANG TERM EDITOR SSH_AUTH_SOCK XAUTHORITY GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL
  GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS VSCODE_GIT_ASKPASS_NODE PASSTHROUGH BYPASS COMPASS
  DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY XDG_RUNTIME_DIR NODE_OPTIONS npm_config_user_agent npm_config_cache CI
  GOPATH CARGO_HOME JAVA_HOME VIRTUAL_ENV PYTHONPATH LS_COLORS PATTERN COMPAT INIT_CWD AUTHOR DSNAME HTTP_PROXY AUTH0_DOMAIN
  DOCKER_HOST KUBECONFIG AWS_PROFILE AWS_REGION KRB5CCNAME GPG_TTY`
    .trim()
    .split(/\s+/);

test.each(WITHHELD)('%s looks like a credential', (name) => {
  expect(isSecretVariable(name, 'x')).toBe(true);
});

test.each(PASSED)('%s does not', (name) => {
  expect(isSecretVariable(name, '/some/value')).toBe(false);
  expect(isSecretVariable(name, 'http://proxy.example:8080')).toBe(false);
});

test('a URL with a password makes any variable secret', () => {
  for (const value of ['postgres://me:pw@host/db', 'redis://:pw@host', 'a b http://u:p@proxy:80 c'])
    expect(isSecretVariable('DATABASE_URL', value)).toBe(true);
  for (const value of ['ssh://git@host/x', 'http://host:80/@x', 'me@host:dir', '10:20@30', ''])
    expect(isSecretVariable('DATABASE_URL', value)).toBe(false);
});

test('words before a secret word, and the case, do not matter', () => {
  const word = fc.string({ unit: fc.constantFrom(...'ABCXYZ'), minLength: 1 });
  const secret = fc.constantFrom('PASSWORD', 'PASSWD', 'PWD', 'PASS', 'CREDENTIALS', 'PAT', 'AUTH', 'DSN', 'TOKEN');
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), secret, (before, last) => {
      const name = [...before, last].join('_');
      expect(isSecretVariable(name)).toBe(true);
      expect(isSecretVariable(name.toLowerCase())).toBe(true);
    }),
    { numRuns: runs(500) },
  );
});
