import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { hasOpenssl, startSecure } from '../../harness/start-secure.ts';

describe.skipIf(!hasOpenssl)('a server that speaks TLS', () => {
  test('is trusted by its certificate, and needs one connection', async () => {
    const { model, workspace, outputs } = await scene([
      reply(call('exec_command', { cmd: 'echo through TLS' }, { callId: 'one' })),
      reply(say('done')),
    ]);
    const secure = await startSecure(model.url);
    const env = { NODE_EXTRA_CA_CERTS: secure.certificate };
    const result = await runOxbow(['exec', '--json', 'go'], { workspace, model: secure, env });
    expect(result).toMatchObject({ code: 0 });
    expect(outputs(1).get('one')).toContain('through TLS');
    expect(secure.connections()).toBe(1);
  });

  test.each(['SSL_CERT_FILE', 'CODEX_CA_CERTIFICATE'])('is trusted by a certificate in %s', async (variable) => {
    const { model, workspace } = await scene([reply(say('done'))]);
    const secure = await startSecure(model.url);
    const env = { SSL_CERT_FILE: '/nowhere/ca.pem', [variable]: secure.certificate };
    const result = await runOxbow(['exec', 'go'], { workspace, model: secure, env });
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('done') });
  });

  test('is trusted by the certificates of both variables', async () => {
    const { model, workspace } = await scene([reply(say('done'))]);
    const [secure, other] = [await startSecure(model.url), await startSecure(model.url)];
    const env = { NODE_EXTRA_CA_CERTS: secure.certificate, SSL_CERT_FILE: other.certificate };
    expect(await runOxbow(['exec', 'go'], { workspace, model: secure, env })).toMatchObject({ code: 0 });
  });

  test.each([
    [
      'that does not exist',
      '/nowhere/ca.pem',
      /SSL_CERT_FILE names \/nowhere\/ca\.pem, which cannot be read: it, or a folder above it, does not exist/,
    ],
    [
      'without a certificate',
      fileURLToPath(import.meta.url),
      /SSL_CERT_FILE names .*, which holds no certificate in PEM form/,
    ],
  ])('is not asked when SSL_CERT_FILE names a file %s', async (_, file, words) => {
    const { model, workspace } = await scene([reply(say('never'))]);
    const secure = await startSecure(model.url);
    const result = await runOxbow(['exec', 'go'], { workspace, model: secure, env: { SSL_CERT_FILE: file } });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(words);
    expect(model.requests).toEqual([]);
  });

  test('is refused when its certificate is not trusted', async () => {
    const { model, workspace } = await scene([reply(say('never'))]);
    const secure = await startSecure(model.url);
    const result = await runOxbow(['exec', 'go'], { workspace, model: secure });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/certificate is self-signed\. .*NODE_EXTRA_CA_CERTS/);
    expect(model.requests).toEqual([]);
  });
});
