import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isRecord } from '../../base/json-schema.ts';

export interface ProfilePlaces {
  /** Oxbow's home, where a slow profile is remembered. */
  readonly home: string | undefined;
  /** The user's shell. */
  readonly shell: string;
  /** The user's folder. */
  readonly folder: string | undefined;
  now(): number;
}

/** The memory of a profile that took too long, so that not every run waits for it. */
export interface SlowProfile {
  /** Reports whether the profile took too long within the last day and has not changed since. */
  isKnown(): boolean;
  remember(): void;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const FILE = 'slow-profile.json';

/** Files that login shells read, in the user's folder unless they are absolute. */
const PROFILES: Readonly<Record<string, readonly string[]>> = {
  bash: ['/etc/profile', '.bash_profile', '.bash_login', '.profile', '.bashrc'],
  zsh: ['/etc/zsh/zshenv', '/etc/zsh/zprofile', '.zshenv', '.zprofile', '.zlogin', '.zshrc'],
};
const OTHER_PROFILES = ['/etc/profile', '.profile'];

export function createSlowProfile({ home, shell, folder = '/', now }: ProfilePlaces): SlowProfile {
  const files = [...(PROFILES[basename(shell)] ?? OTHER_PROFILES)];
  const state = () => JSON.stringify([shell, folder, ...files.map((file) => changedAt(folder, file))]);
  return {
    isKnown() {
      const known = home === undefined ? undefined : tryRead(join(home, FILE));
      if (!isRecord(known) || typeof known.at !== 'number' || known.profile !== state()) return false;
      return Math.abs(now() - known.at) < DAY_MS;
    },
    remember() {
      try {
        if (home !== undefined) writeFileSync(join(home, FILE), JSON.stringify({ profile: state(), at: now() }));
      } catch {
        // The home is read-only. The next run waits for the profile again.
      }
    },
  };
}

function changedAt(folder: string, file: string): number | null {
  return statSync(file.startsWith('/') ? file : join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function tryRead(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
