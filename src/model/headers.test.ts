import { describe, expect, test } from 'vitest';
import type { ProviderSettings } from '../base/provider.ts';
import { client as chat } from '../wire/chat/client.ts';
import { client as responses } from '../wire/responses/client.ts';
import { type HeaderCredentials, redactor, requestHeaders } from './headers.ts';
import { findProvider } from './providers/index.ts';

const identity = { requestId: 'thread-1', threadId: 'thread-1', originator: 'oxbow_exec', userAgent: 'oxbow/1.0' };

function headersOf(settings: ProviderSettings, credentials: HeaderCredentials = {}, env: Record<string, string> = {}) {
  const provider = findProvider('test', { test: { baseUrl: 'http://localhost/v1', ...settings } });
  const wire = provider.wire === 'chat' ? chat : responses;
  return requestHeaders({ provider, identity, credentials, env, wire });
}

describe('requestHeaders', () => {
  test('are these and no others', () => {
    expect(headersOf({}, { authorization: 'key-1', accountId: 'acc-1' })).toEqual({
      authorization: 'Bearer key-1',
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      originator: 'oxbow_exec',
      'user-agent': 'oxbow/1.0',
      'session-id': 'thread-1',
      session_id: 'thread-1',
      'thread-id': 'thread-1',
      'x-client-request-id': 'thread-1',
      'openai-beta': 'responses=experimental',
      'chatgpt-account-id': 'acc-1',
    });
  });

  test('have no authorization without a key', () => {
    expect(headersOf({})).not.toHaveProperty('authorization');
    expect(headersOf({}, { authorization: '' })).not.toHaveProperty('authorization');
  });

  test('keep a scheme that the authorization already has', () => {
    expect(headersOf({}, { authorization: 'Basic dTpw\n' }).authorization).toBe('Basic dTpw');
  });

  test('have the key under the name of the wire, unless the key has a scheme', () => {
    const provider = findProvider('test', { test: { baseUrl: 'http://localhost/v1' } });
    const wire = { ...chat, credential: { name: 'x-api-key' } };
    const under = (authorization: string) =>
      requestHeaders({ provider, identity, credentials: { authorization }, env: {}, wire });
    expect(under(' key-1')).toMatchObject({ 'x-api-key': 'key-1' });
    expect(under('key-1')).not.toHaveProperty('authorization');
    expect(under('Basic dTpw')).toMatchObject({ authorization: 'Basic dTpw' });
    expect(() => under('key\n1')).toThrow(expect.objectContaining({ code: 'auth' }));
  });

  test('name the beta on the responses wire only', () => {
    expect(headersOf({ wire: 'chat' })).not.toHaveProperty('openai-beta');
  });

  test('include the headers of the provider, which take precedence in any letter case', () => {
    const headers = headersOf({ headers: { 'X-One': '1', 'User-Agent': 'mine' } });
    expect(headers).toMatchObject({ 'x-one': '1', 'user-agent': 'mine' });
    expect(headers).not.toHaveProperty('User-Agent');
  });

  test('read values from variables and leave out unset and blank ones', () => {
    const envHeaders = { 'X-Set': 'SET', 'X-Blank': 'BLANK', 'X-Unset': 'UNSET' };
    const headers = headersOf({ envHeaders }, {}, { SET: ' v ', BLANK: '  ' });
    expect(headers['x-set']).toBe('v');
    expect(headers).not.toHaveProperty('x-blank');
    expect(headers).not.toHaveProperty('x-unset');
  });

  test('refuse what HTTP cannot carry without showing the value', () => {
    const inKey = () => headersOf({}, { authorization: 'secret\nkey' });
    expect(inKey).toThrow(expect.objectContaining({ code: 'auth', message: expect.not.stringContaining('secret') }));
    expect(inKey).toThrow(/"authorization" cannot be sent/);
    expect(() => headersOf({ headers: { 'bad name': '1' } })).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
});

describe('a redactor', () => {
  test('removes keys of headers and query parameters, and nothing else', () => {
    const provider = findProvider('test', {
      test: { baseUrl: 'http://x', queryParams: { key: 'query-secret', 'api-version': '2025-04-01' } },
    });
    const headers = { authorization: 'Bearer token-secret', 'x-api-key': 'header-secret', 'x-title': 'My long title' };
    const said = 'Bearer token-secret, token-secret, header-secret, query-secret, 2025-04-01, My long title, Bearer';
    expect(redactor(headers, provider)(said)).toBe(
      '[redacted], [redacted], [redacted], [redacted], 2025-04-01, My long title, Bearer',
    );
  });
});
