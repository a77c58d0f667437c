import { expect, test } from 'vitest';
import { unusedProxy } from './unused-proxy.ts';

const PROXY = 'http://proxy:3128';

test.each([
  ['https://api.example.org/v1', { HTTPS_PROXY: PROXY }, 'HTTPS_PROXY'],
  ['https://api.example.org/v1', { https_proxy: PROXY, HTTPS_PROXY: PROXY }, 'https_proxy'],
  ['https://api.example.org/v1', { ALL_PROXY: PROXY }, 'ALL_PROXY'],
  ['https://api.example.org/v1', { HTTP_PROXY: PROXY, HTTPS_PROXY: '' }, undefined],
  ['http://api.example.org/v1', { HTTP_PROXY: PROXY }, 'HTTP_PROXY'],
  ['https://api.example.org/v1', { HTTPS_PROXY: PROXY, NO_PROXY: 'localhost, .example.org' }, undefined],
  ['https://api.example.org/v1', { HTTPS_PROXY: PROXY, no_proxy: 'api.example.org:443' }, undefined],
  ['https://api.example.org/v1', { HTTPS_PROXY: PROXY, no_proxy: '*' }, undefined],
  ['https://api.example.org/v1', { HTTPS_PROXY: PROXY, NO_PROXY: 'ample.org,example.com' }, 'HTTPS_PROXY'],
  ['http://127.0.0.1:8000/v1', { HTTP_PROXY: PROXY }, undefined],
  ['http://[::1]:8000/v1', { HTTP_PROXY: PROXY }, undefined],
])('%s with %j is affected by %s', (url, env, variable) => {
  expect(unusedProxy(new URL(url), env)).toBe(variable);
});
