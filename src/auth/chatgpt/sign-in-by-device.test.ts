import { expect, test } from 'vitest';
import { type ChatGptServer, startChatGptServer } from '../../../test/harness/authorization-server.ts';
import type { AuthSend } from './auth-server.ts';
import { type ShownCode, signInByDevice } from './sign-in-by-device.ts';

const send: AuthSend = async (url, { headers, body, signal }) => {
  const answer = await fetch(url, { method: 'POST', headers, body, signal });
  return { status: answer.status, body: answer.body ?? (async function* () {})() };
};

/** Signs in with a clock that moves only by the pauses. */
async function signIn(server: ChatGptServer) {
  const pauses: number[] = [];
  const shown: ShownCode[] = [];
  let now = 0;
  const auth = signInByDevice({
    server: { issuer: server.url, clientId: 'me', send },
    signal: new AbortController().signal,
    now: () => now,
    async sleep(ms) {
      pauses.push(ms);
      now += ms;
    },
    show: (code) => void shown.push(code),
  });
  return { auth: await auth.catch((error: Error) => error.message), pauses, shown };
}

test('the code is asked for at the pace of the server, and slower when the server says so', async () => {
  const server = await startChatGptServer();
  server.device.interval = 5;
  server.pending.push([403], [404], [400, 'slow_down'], [400, 'authorization_pending'], [429]);
  const { auth, pauses, shown } = await signIn(server);
  expect(pauses).toEqual([5000, 5000, 10_000, 10_000, 15_000]);
  expect(shown).toEqual([{ url: `${server.url}/codex/device`, code: 'ABCD-1234', minutes: 15 }]);
  expect(auth).toMatchObject({ auth_mode: 'chatgpt', tokens: { account_id: 'acc-1' } });
});

test('a code that is not typed expires', async () => {
  const server = await startChatGptServer();
  Object.assign(server.device, { interval: '60', expires_in: 300 });
  for (let n = 0; n < 20; n++) server.pending.push([403]);
  const { auth, pauses } = await signIn(server);
  expect(auth).toBe('The code has expired before it was typed. Sign in again for another one.');
  expect(pauses).toHaveLength(4);
});

test.each([
  [[400, 'expired_token'], 'The code has expired before it was typed. Sign in again for another one.'],
  [[403, 'access_denied'], 'The sign-in was refused in the browser. Try again.'],
  [[500, 'oops'], 'URL ended the sign-in with a code: status 500: oops.'],
] as const)('%s ends the sign-in', async (answer, message) => {
  const server = await startChatGptServer();
  server.pending.push([...answer]);
  expect((await signIn(server)).auth).toBe(message.replace('URL', server.url));
});
