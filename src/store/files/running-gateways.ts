import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../base/json-schema.ts';
import { isAlive, isMark, ownMark, type ProcessMark } from '../../machine/process-mark.ts';

/** Facts about a gateway that other processes of the user may read. None of them is secret. */
export interface GatewayState {
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /**
   * Place that names the server: the configuration, the command line of the gateway, or neither, where the gateway found
   * a server by itself. `run`: the gateway belongs to one program and ends with it.
   */
  readonly source: 'config' | 'command_line' | 'found' | 'run';
  readonly provider: string | null;
  readonly model: string | null;
  /** Number of times that the configuration was read again. */
  readonly reloads: number;
  /** Why the last configuration was not taken. Null if it was. */
  readonly problem: string | null;
}

export interface RunningGateway extends GatewayState {
  readonly pid: number;
  /** Whether this process can see that one, and tell it from all others. */
  readonly isKnown: boolean;
}

/** The file of a gateway in the home. */
export interface GatewayFile {
  write(state: GatewayState): void;
  remove(): void;
}

const FOLDER = 'gateways';

/** Opens the file of this process. A home that cannot be written to has none, and the gateway works without it. */
export function openGatewayFile(home: string): GatewayFile {
  const mark = ownMark();
  const path = join(home, FOLDER, `${mark.pid}.json`);
  return {
    write(state) {
      try {
        mkdirSync(join(home, FOLDER), { recursive: true, mode: 0o700 });
        const draft = `${path}.tmp`;
        writeFileSync(draft, `${JSON.stringify({ ...state, mark })}\n`, { mode: 0o600 });
        renameSync(draft, path);
      } catch {
        // Only the commands that ask for running gateways miss it.
      }
    },
    remove() {
      try {
        rmSync(path, { force: true });
      } catch {
        // The next reader sees that the process has ended.
      }
    },
  };
}

/** Returns the gateways of a home that run, the oldest first. Files of processes that have ended are removed. */
export function readRunningGateways(home: string): RunningGateway[] {
  const running = filesIn(join(home, FOLDER)).flatMap((path) => {
    const entry = readEntry(path);
    const alive = entry && isAlive(entry.mark);
    if (alive === false) rmSync(path, { force: true });
    if (entry === undefined || alive === false) return [];
    const { mark, ...state } = entry;
    return [{ ...state, pid: mark.pid, isKnown: alive === true && mark.start !== null }];
  });
  return running.sort((a, b) => a.since - b.since);
}

/** Asks a gateway to read its configuration again. Returns false for a process that may be another one by now. */
export function askToReload({ pid, isKnown }: RunningGateway): boolean {
  try {
    return isKnown && process.kill(pid, 'SIGHUP');
  } catch {
    return false;
  }
}

function filesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^\d+\.json$/.test(name));
    return names.map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function readEntry(path: string): (GatewayState & { readonly mark: ProcessMark }) | undefined {
  try {
    const entry: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isEntry(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is GatewayState & { readonly mark: ProcessMark } {
  if (!isRecord(value) || !isMark(value.mark)) return false;
  const { url, since, source, reloads, provider, model, problem } = value;
  return (
    [url, source].every((text) => typeof text === 'string') &&
    [since, reloads].every((count) => typeof count === 'number') &&
    [provider, model, problem].every((text) => text === null || typeof text === 'string')
  );
}
