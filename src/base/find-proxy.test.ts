import { expect, test } from 'vitest';
import { findProxy } from './find-proxy.ts';

const PROXY = 'http://proxy:3128';

test.each([
  ['https://api.example.org/v1', { HTTPS_PROXY: PROXY }, 'HTTPS_PROXY'],
  ['https://api.example.org/v1', { https_proxy: PROXY, HTTPS_PROXY: 'http://other' }, 'https_proxy'],
  ['https://api.example.org/v1', { https_proxy: ' ', HTTPS_PROXY: PROXY }, 'HTTPS_PROXY'],
  ['https://api.example.org/v1', { ALL_PROXY: PROXY }, 'ALL_PROXY'],
  ['https://api.example.org/v1', { all_proxy: PROXY, ALL_PROXY: 'http://other' }, 'all_proxy'],
  ['https://api.example.org/v1', { HTTP_PROXY: PROXY, HTTPS_PROXY: '' }, undefined],
  ['http://api.example.org/v1', { HTTP_PROXY: PROXY }, 'HTTP_PROXY'],
  ['http://api.example.org/v1', { HTTPS_PROXY: PROXY }, undefined],
  ['http://127.0.0.1:8000/v1', { HTTP_PROXY: PROXY }, undefined],
  ['http://[::1]:8000/v1', { HTTP_PROXY: PROXY }, undefined],
  ['http://localhost:8000/v1', { ALL_PROXY: PROXY }, undefined],
])('%s with %j goes through %s', (url, env, variable) => {
  expect(findProxy(new URL(url), env)).toEqual(variable && { variable, address: PROXY });
});

test.each([
  ['https://api.example.org/', 'localhost, .example.org', true],
  ['https://api.example.org/', '*.example.org', true],
  ['https://api.example.org/', 'example.org', true],
  ['https://example.org/', '.example.org', true],
  ['https://API.Example.org./', 'api.EXAMPLE.org', true],
  ['https://api.example.org/', 'api.example.org:443', true],
  ['https://api.example.org/', 'api.example.org:8443', false],
  ['https://api.example.org:8443/', 'example.org:8443', true],
  ['https://api.example.org/', '*', true],
  ['https://api.example.org/', 'ample.org,example.com,.,', false],
  ['https://10.1.2.3/', '10.0.0.0/8', true],
  ['https://11.1.2.3/', '10.0.0.0/8 192.168.0.0/16', false],
  ['https://10.1.2.3/', '10.0.0.0/99,10.0.0.0/x', false],
  ['https://10.1.2.3/', '10.1.2.3', true],
  ['https://10.1.2.3/', '2.3', false],
  ['https://[fd00::1]/', 'fd00::/8', true],
  ['https://[fd00::1]/', 'fd00::1', true],
  ['https://[fd00::1]:444/', '[fd00::1]:444', true],
  ['https://[fd00::1]/', '[fd00::1]:444', false],
  ['https://host.example/', '10.0.0.0/8', false],
])('%s is excepted by NO_PROXY=%s: %s', (url, list, isExcepted) => {
  expect(findProxy(new URL(url), { HTTPS_PROXY: PROXY, NO_PROXY: list }) === undefined).toBe(isExcepted);
  expect(findProxy(new URL(url), { HTTPS_PROXY: PROXY, no_proxy: list, NO_PROXY: 'other' }) === undefined).toBe(
    isExcepted,
  );
});
