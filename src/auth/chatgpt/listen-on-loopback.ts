import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, UserError } from '../../base/errors.ts';

const HOST = '127.0.0.1';
/** Time for an earlier sign-in to leave its port. */
const LEAVE_MS = 2000;
const PAUSE_MS = 100;

/**
 * Returns a server on the first of the ports that is free, and its port. An earlier sign-in that still waits on the
 * first port, here or in Codex, is asked to end: the newest one counts. Throws `UserError` if no port is free.
 */
export async function listenOnLoopback(ports: readonly number[]): Promise<{ server: Server; port: number }> {
  const [first = 0] = ports;
  const server = (await tryListen(first)) ?? (await tryAfterCancel(first)) ?? (await firstFree(ports.slice(1)));
  if (server) return { server, port: (server.address() as AddressInfo).port };
  const names = ports.join(' and ');
  const text = `The browser cannot come back: port ${names} of this machine is in use. End the program that uses it`;
  throw new UserError('in_use', `${text}, or sign in with a code.`, { remedy: { type: 'sign_in_with_code' } });
}

async function firstFree([port, ...others]: readonly number[]): Promise<Server | undefined> {
  return port === undefined ? undefined : ((await tryListen(port)) ?? (await firstFree(others)));
}

async function tryAfterCancel(port: number): Promise<Server | undefined> {
  await cancelOther(port);
  const end = Date.now() + LEAVE_MS;
  let server = await tryListen(port);
  while (server === undefined && Date.now() < end) {
    await delay(PAUSE_MS);
    server = await tryListen(port);
  }
  return server;
}

function tryListen(port: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
      else reject(new UserError('unavailable', `Port ${port} of this machine cannot be used: ${messageOf(error)}.`));
    });
    server.listen(port, HOST, () => resolve(server));
  });
}

/** Sends the request with which Codex cancels a sign-in that waits. Another program may not know it. */
function cancelOther(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: HOST, timeout: LEAVE_MS });
    const end = () => {
      socket.destroy();
      resolve();
    };
    socket.once('connect', () => {
      socket.write(`GET /cancel HTTP/1.1\r\nHost: ${HOST}:${port}\r\nConnection: close\r\n\r\n`);
    });
    socket.once('data', end).once('error', end).once('timeout', end).once('close', end);
  });
}
