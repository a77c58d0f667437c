import { UserError } from '../../base/errors.ts';
import type { AuthFile } from '../auth-file.ts';
import { type AuthServer, errorIn, post, refusalText, type WholeAnswer } from './auth-server.ts';
import { exchangeCode } from './exchange-code.ts';

export interface DeviceSignIn {
  readonly server: AuthServer;
  readonly signal: AbortSignal;
  now(): number;
  /** Resolves after `ms`. Rejects with the signal's reason if the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Shows the address at which the user types the code. */
  show(device: ShownCode): void;
}

/** A code that the user types in a browser anywhere. */
export interface ShownCode {
  readonly url: string;
  readonly code: string;
  readonly minutes: number;
}

/** Time that a code is valid, unless the server says otherwise. */
const VALID_MS = 15 * 60_000;
const LEAST_PAUSE_MS = 100;
const SLOWER_MS = 5000;

/** Lets the user sign in with ChatGPT on another machine, by typing a code there. Throws `UserError`. */
export async function signInByDevice(wanted: DeviceSignIn): Promise<AuthFile> {
  const { server, signal, now } = wanted;
  const device = await requestCode(wanted);
  const { validMs } = device;
  wanted.show({ url: `${server.issuer}/codex/device`, code: device.userCode, minutes: Math.ceil(validMs / 60_000) });
  const earned = await pollForCode(wanted, device, now() + validMs);
  const redirectUrl = `${server.issuer}/deviceauth/callback`;
  return exchangeCode(server, { ...earned, redirectUrl }, { now: now(), signal });
}

interface DeviceCode {
  readonly id: string;
  readonly userCode: string;
  readonly pauseMs: number;
  readonly validMs: number;
}

async function requestCode({ server, signal }: DeviceSignIn): Promise<DeviceCode> {
  const answer = await post(server, '/api/accounts/deviceauth/usercode', { client_id: server.clientId }, { signal });
  const { device_auth_id: id, user_code, usercode, interval, expires_in } = answer.fields;
  if (answer.status === 404)
    throw new UserError('unavailable', `${server.issuer} has no sign-in with a code. Sign in with the browser.`);
  const userCode = user_code ?? usercode;
  if (answer.status !== 200 || typeof id !== 'string' || typeof userCode !== 'string')
    throw new UserError('unavailable', `${server.issuer} gave no code: ${refusalText(answer)}`);
  const seconds = (value: unknown, otherwise: number) => (Number(value) > 0 ? Number(value) * 1000 : otherwise);
  return { id, userCode, pauseMs: seconds(interval, LEAST_PAUSE_MS), validMs: seconds(expires_in, VALID_MS) };
}

/** Codes of answers that mean that the user has not typed the code yet. */
const PENDING = ['authorization_pending', 'slow_down'];

/** Asks until the user has typed the code. */
async function pollForCode({ server, signal, now, sleep }: DeviceSignIn, device: DeviceCode, end: number) {
  const body = { device_auth_id: device.id, user_code: device.userCode };
  let { pauseMs } = device;
  for (;;) {
    const answer = await post(server, '/api/accounts/deviceauth/token', body, { signal });
    const { authorization_code: code, code_verifier: verifier } = answer.fields;
    if (answer.status === 200 && typeof code === 'string' && typeof verifier === 'string') return { code, verifier };
    if (!isPending(answer)) throw deviceRefusal(server, answer);
    if (errorIn(answer).code === 'slow_down' || answer.status === 429) pauseMs += SLOWER_MS;
    if (now() + pauseMs >= end) throw expired();
    await sleep(pauseMs, signal);
  }
}

/** Reports whether the user may still type the code. The server says so with a status that means refusal elsewhere. */
function isPending(answer: WholeAnswer): boolean {
  const { status } = answer;
  const { code } = errorIn(answer);
  if (status === 429) return true;
  if (code === 'expired_token' || code === 'access_denied') return false;
  return status === 403 || status === 404 || (status === 400 && PENDING.includes(code ?? ''));
}

function deviceRefusal({ issuer }: AuthServer, answer: WholeAnswer): UserError {
  const { code } = errorIn(answer);
  if (code === 'expired_token') return expired();
  if (code === 'access_denied')
    return new UserError('unavailable', 'The sign-in was refused in the browser. Try again.');
  return new UserError('unavailable', `${issuer} ended the sign-in with a code: ${refusalText(answer)}`);
}

function expired(): UserError {
  return new UserError('unavailable', 'The code has expired before it was typed. Sign in again for another one.');
}
