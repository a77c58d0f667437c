import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import { isRecord } from '../../base/json-schema.ts';

/**
 * The answer to a refresh, on disk before anything else is done with it. The old refresh token is spent as soon as the
 * server has answered, so a crash must not lose the new one.
 */
export interface RefreshJournal {
  /** Adds bytes of the answer. */
  add(bytes: Uint8Array): void;
  /** Makes the answer last through a loss of power. */
  close(): void;
}

/** The tokens in an answer. A token that is absent stays as it was. */
export interface RefreshAnswer {
  readonly access_token: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
}

/**
 * Begins the journal of a refresh next to auth.json. Throws `UserError` if the folder cannot be written to: a new token
 * could not be kept, so the old one must not be spent.
 */
export function beginJournal(authPath: string, refreshToken: string): RefreshJournal {
  const path = journalPath(authPath);
  let fd: number;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    rmSync(path, { force: true });
    fd = openSync(path, 'wx', 0o600);
    writeSync(fd, `${markOf(refreshToken)}\n`);
  } catch (error) {
    const why = `${path} cannot be written: ${fileFault(error)}`;
    throw new UserError('storage', `The sign-in cannot be refreshed, because ${why}.`);
  }
  return {
    add: (bytes) => void writeSync(fd, bytes),
    close() {
      fsyncSync(fd);
      closeSync(fd);
    },
  };
}

/** Returns the whole answer that some process received to a refresh with this token, and has not stored, or undefined. */
export function lostAnswer(authPath: string, refreshToken: string): RefreshAnswer | undefined {
  let text: string;
  try {
    text = readFileSync(journalPath(authPath), 'utf8');
  } catch {
    return undefined;
  }
  const [mark = '', ...rest] = text.split('\n');
  if (mark !== markOf(refreshToken)) return undefined;
  try {
    const answer: unknown = JSON.parse(rest.join('\n'));
    return isRecord(answer) ? tokensIn(answer) : undefined;
  } catch {
    // Only a part of the answer came.
    return undefined;
  }
}

function tokensIn(answer: Readonly<Record<string, unknown>>): RefreshAnswer | undefined {
  const { access_token, id_token, refresh_token } = answer;
  if (typeof access_token !== 'string' || access_token === '') return undefined;
  return {
    access_token,
    ...(typeof id_token === 'string' ? { id_token } : {}),
    ...(typeof refresh_token === 'string' ? { refresh_token } : {}),
  };
}

/** Removes the journal, after its tokens were stored or because none came. */
export function removeJournal(authPath: string): void {
  try {
    rmSync(journalPath(authPath), { force: true });
  } catch {
    // Its mark tells later that it is old.
  }
}

const journalPath = (authPath: string) => `${authPath}.refresh`;

/** Tells the refresh of one token from that of another, without the token itself. */
function markOf(refreshToken: string): string {
  return createHash('sha256').update(refreshToken).digest('hex');
}
