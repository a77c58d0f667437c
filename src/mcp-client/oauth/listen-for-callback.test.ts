import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { listenForCallback } from './listen-for-callback.ts';

const never = new AbortController().signal;
const ADDRESS = new URL('http://127.0.0.1/authorize?state=s1');

test('the browser comes back with the state, reads a page, and others are ignored', async () => {
  const pages: [number, string][] = [];
  const get = async (url: string) => {
    const response = await fetch(url);
    pages.push([response.status, await response.text()]);
  };
  const browser = await listenForCallback({
    port: 0,
    signal: never,
    async open(url) {
      expect(url).toBe(ADDRESS);
      await get(`${browser.redirectUrl}?code=forged&state=other`);
      await get(browser.redirectUrl.replace('callback', 'favicon.ico'));
      await get(`${browser.redirectUrl}?code=c1&state=s1`);
    },
  });
  const params = await browser.authorize(ADDRESS);
  expect(params.get('code')).toBe('c1');
  expect(pages.map(([status]) => status)).toEqual([404, 404, 200]);
  expect(pages[2]?.[1]).toContain('You are signed in. You can close this page.');
  await browser.close();
  await expect(fetch(browser.redirectUrl)).rejects.toThrow();
});

test('a user who does not come back, and one who gives up, is a sentence', async () => {
  const browser = await listenForCallback({ port: 0, signal: never, open() {}, timeoutMs: 50 });
  await expect(browser.authorize(ADDRESS)).rejects.toMatchObject({
    kind: 'sign_in',
    message: expect.stringMatching(/in time/),
  });
  await browser.close();
  const stopped = await listenForCallback({ port: 0, signal: AbortSignal.abort(), open() {} });
  await expect(stopped.authorize(ADDRESS)).rejects.toMatchObject({ kind: 'sign_in' });
  await stopped.close();
});

test('a port in use names the setting', async () => {
  const other = createServer();
  await new Promise<void>((ready) => other.listen(0, '127.0.0.1', ready));
  const { port } = other.address() as AddressInfo;
  await expect(listenForCallback({ port, signal: never, open() {} })).rejects.toMatchObject({
    kind: 'sign_in',
    message: `Port ${port}, to which a sign-in returns, cannot be used: it is in use. Set mcp_oauth_callback_port to another port.`,
  });
  await new Promise((done) => other.close(done));
});

test('another address may lead to the listener', async () => {
  const browser = await listenForCallback({ port: 0, url: 'https://box.example/callback', signal: never, open() {} });
  expect(browser.redirectUrl).toBe('https://box.example/callback');
  await browser.close();
});
