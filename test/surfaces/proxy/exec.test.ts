import { describe, expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { startProxy } from '../../harness/start-proxy.ts';
import { hasOpenssl, makeCertificate, startSecure } from '../../harness/start-secure.ts';

/** Returns the address of a server of this machine by a name that only the proxy of the tests knows. */
const outside = (url: string) => url.replace('127.0.0.1', 'models.test');
const portOf = (url: string) => new URL(url).port;
const USER = 'me:p@ss:w0rd-of-the-proxy';

describe('requests that are not encrypted', () => {
  test.each(['responses', 'chat'])('go through HTTP_PROXY over the wire %s', async (wire_api) => {
    const { model, workspace, outputs } = await scene([
      reply(call('exec_command', { cmd: 'echo through' }, { callId: 'one' })),
      reply(say('done')),
    ]);
    const proxy = await startProxy();
    const url = outside(model.url);
    const env = { HTTP_PROXY: proxy.url };
    const config = { model_providers: { scripted: { wire_api } } };
    const result = await runOxbow(['exec', 'go'], { workspace, model: { url }, config, env });
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('done') });
    if (wire_api === 'responses') expect(outputs(1).get('one')).toContain('through');
    expect(proxy.passed).toHaveLength(2);
    expect(proxy.passed[0]).toMatch(new RegExp(`^POST ${url}/`));
    expect(model.requests[0]?.headers).toMatchObject({ host: new URL(url).host });
    expect(model.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  test('carry the password of the variable, and only to the proxy', async () => {
    const { model, workspace } = await scene([reply(say('done'))]);
    const proxy = await startProxy({ user: USER });
    const env = { http_proxy: proxy.signedUrl, HTTP_PROXY: 'http://127.0.0.1:9' };
    const result = await runOxbow(['exec', 'go'], { workspace, model: { url: outside(model.url) }, env });
    expect(result).toMatchObject({ code: 0 });
    expect(proxy.passed).toHaveLength(1);
    expect(JSON.stringify(model.requests[0]?.headers)).not.toContain('proxy-authorization');
  });

  test('are sent again when the proxy closes the connection', async () => {
    const { model, workspace } = await scene([reply(say('done'))]);
    const proxy = await startProxy({ failing: 1 });
    const env = { ALL_PROXY: proxy.url };
    const result = await runOxbow(['exec', 'go'], { workspace, model: { url: outside(model.url) }, env });
    expect(result).toMatchObject({ code: 0 });
    expect(proxy.count()).toBe(2);
  });

  test('are asked again when the proxy drops the answer', async () => {
    const { model, workspace } = await scene([reply(say('lost')), reply(say('found'))]);
    const proxy = await startProxy({ dropAfter: 10 });
    const env = { HTTP_PROXY: proxy.url };
    const result = await runOxbow(['exec', 'go'], { workspace, model: { url: outside(model.url) }, env });
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('found') });
  });

  test.each(['0.0.0.0', '*', 'other.test, 0.0.0.0:PORT', '0.0.0.0/8'])(
    'do not go through it where NO_PROXY is %s',
    async (list) => {
      const { model, workspace } = await scene([reply(say('done'))]);
      const proxy = await startProxy();
      const env = { HTTP_PROXY: proxy.url, NO_PROXY: list.replace('PORT', portOf(model.url)) };
      // An address that counts as another machine, and leads to this one.
      const url = model.url.replace('127.0.0.1', '0.0.0.0');
      const result = await runOxbow(['exec', 'go'], { workspace, model: { url }, env });
      expect(result).toMatchObject({ code: 0 });
      expect(proxy.count()).toBe(0);
    },
  );

  test('go directly to this machine', async () => {
    const { model, workspace } = await scene([reply(say('done'))]);
    const env = { HTTP_PROXY: 'http://127.0.0.1:9', ALL_PROXY: 'http://127.0.0.1:9' };
    expect(await runOxbow(['exec', 'go'], { workspace, model, env })).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!hasOpenssl)('requests over TLS', () => {
  test.each([
    ['without a password', {}],
    ['with a password', { user: USER }],
    ['over TLS to the proxy too', { user: USER, secure: true }],
  ])('go through a tunnel of HTTPS_PROXY, %s', async (_, options) => {
    const { model, workspace, outputs } = await scene([
      reply(call('exec_command', { cmd: 'echo through' }, { callId: 'one' })),
      reply(say('done')),
    ]);
    const secure = await startSecure(model.url, { name: 'models.test' });
    const proxy = await startProxy(options);
    const trusted = {
      NODE_EXTRA_CA_CERTS: secure.certificate,
      ...(proxy.certificate && { SSL_CERT_FILE: proxy.certificate }),
    };
    const env = { HTTPS_PROXY: proxy.signedUrl, ...trusted };
    const result = await runOxbow(['exec', '--json', 'go'], { workspace, model: secure, env });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(outputs(1).get('one')).toContain('through');
    // One tunnel serves all requests.
    expect(proxy.passed).toEqual([`CONNECT models.test:${portOf(secure.url)}`]);
    expect(JSON.stringify(model.requests[0]?.headers)).not.toContain('proxy');
  });

  test('fail when the certificate behind the tunnel is not trusted', async () => {
    const { model, workspace } = await scene([reply(say('never'))]);
    const secure = await startSecure(model.url, { name: 'models.test' });
    const proxy = await startProxy();
    const result = await runOxbow(['exec', 'go'], { workspace, model: secure, env: { HTTPS_PROXY: proxy.url } });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/certificate is self-signed\. .*SSL_CERT_FILE/);
  });

  test('are asked again when the tunnel drops', async () => {
    const { model, workspace } = await scene([reply(say('lost')), reply(say('found'))]);
    const secure = await startSecure(model.url, { name: 'models.test' });
    const proxy = await startProxy({ dropAfter: 1500 });
    const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: secure.certificate };
    const result = await runOxbow(['exec', 'go'], { workspace, model: secure, env });
    expect(result).toMatchObject({ code: 0 });
    expect(proxy.passed).toHaveLength(2);
  });

  test('reach a server that wants a certificate', async () => {
    const { model, workspace } = await scene([reply(say('done'))]);
    const client = makeCertificate('me');
    const secure = await startSecure(model.url, { name: 'models.test', client });
    const proxy = await startProxy();
    const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: secure.certificate };
    const shown = { client_certificate: client.path, client_key: client.keyPath };
    const config = { model_providers: { scripted: shown } };
    const result = await runOxbow(['exec', 'go'], { workspace, model: secure, config, env });
    expect(result).toMatchObject({ code: 0 });
  });
});

describe('a proxy that does not help', () => {
  const https = 'https://models.test:4433/v1';
  const http = 'http://models.test:4434/v1';

  test.each([
    [
      'is unreachable',
      https,
      'http://me:p4ssw0rd@127.0.0.1:9',
      /^ERROR: Cannot reach the proxy http:\/\/127\.0\.0\.1:9 \(HTTPS_PROXY\): connection refused\. Check the proxy and the variable HTTPS_PROXY/m,
    ],
    [
      'is a SOCKS proxy',
      https,
      'socks5://me:p4ssw0rd@127.0.0.1:9',
      /HTTPS_PROXY names a proxy of the kind socks5, which is not supported: socks5:\/\/\[redacted\]@127\.0\.0\.1:9\. Name a proxy with http/,
    ],
    [
      'is no address',
      https,
      'http://me:p4ssw0rd@',
      /HTTPS_PROXY is not the address of a proxy: http:\/\/\[redacted\]@\. Write it as http:\/\/HOST:PORT/,
    ],
  ])('because it %s', async (_, url, address, words) => {
    const { workspace } = await scene([]);
    const config = { model_providers: { scripted: { request_max_retries: 0 } } };
    const env = { [url === https ? 'HTTPS_PROXY' : 'HTTP_PROXY']: address };
    const result = await runOxbow(['exec', '--debug', 'go'], { workspace, model: { url }, config, env });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(words);
    expect(result.stderr).not.toContain('p4ssw0rd');
  });

  test.each([
    [
      'wants a password',
      { user: USER },
      'url',
      https,
      /The proxy http:\/\/localhost:\d+ \(HTTPS_PROXY\) wants a user name and a password \(status 407\)\. Set HTTPS_PROXY to http:\/\/USER:PASSWORD@localhost:\d+\./,
    ],
    [
      'wants a password for plain requests',
      { user: USER },
      'url',
      http,
      /The proxy http:\/\/localhost:\d+ \(HTTP_PROXY\) wants a user name and a password \(status 407\)/,
    ],
    [
      'wants another password',
      { user: 'me:other' },
      'wrong',
      https,
      /refused the user name or the password in HTTPS_PROXY \(status 407\)/,
    ],
    [
      'wants another sign-in',
      { user: USER, challenge: 'Negotiate' },
      'url',
      https,
      /wants a sign-in by Negotiate, which is not supported/,
    ],
    ['refuses', { fault: 403 }, 'url', https, /refused to connect to models\.test:4433: status 403\. Ask for access/],
    [
      'cannot connect',
      { fault: 502 },
      'url',
      https,
      /could not connect to models\.test:4433: status 502\. Check that the server/,
    ],
    [
      'closes the connection',
      { fault: 'close' },
      'url',
      https,
      /Cannot reach the proxy .*: the server closed the connection without an answer\./,
    ],
  ] as const)('because it %s', async (_, options, form, url, words) => {
    const { workspace } = await scene([]);
    const proxy = await startProxy(options);
    const config = { model_providers: { scripted: { request_max_retries: 0 } } };
    const address = form === 'wrong' ? proxy.url.replace('//', '//me:wr0ng-w0rd@') : proxy.url;
    const env = { HTTPS_PROXY: address, HTTP_PROXY: address };
    const result = await runOxbow(['exec', '--debug', 'go'], { workspace, model: { url }, config, env });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(words);
    expect(result.stderr).not.toContain('wr0ng-w0rd');
    expect(proxy.passed).toEqual([]);
  });

  test.each([https, http])('because it hangs: %s', async (url) => {
    const { workspace } = await scene([]);
    const proxy = await startProxy({ fault: 'hang' });
    const config = {
      model_providers: { scripted: { request_max_retries: 0, stream_max_retries: 0, stream_idle_timeout_ms: 300 } },
    };
    const env = { ALL_PROXY: proxy.url };
    const result = await runOxbow(['exec', 'go'], { workspace, model: { url }, config, env });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/idle timeout/);
  });
});

test('oxbow doctor says which proxy is used', async () => {
  const { workspace } = await scene([]);
  const env = { HTTPS_PROXY: 'http://me:p4ssw0rd@proxy.test:3128' };
  const model = { url: 'https://models.test/v1' };
  const { stdout } = await runOxbow(['doctor'], { workspace, model, env });
  expect(stdout).toMatch(
    /ok +proxy +requests to the model go through http:\/\/proxy\.test:3128 \(HTTPS_PROXY\), with a user/,
  );
  expect(stdout).not.toContain('p4ssw0rd');
});
