import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../base/json-schema.ts';
import type { UsageLimits } from '../../base/usage-limits.ts';

/** Limits that a server reported for one account. */
export interface AccountLimits extends UsageLimits {
  /** Id of the provider. */
  readonly provider: string;
  /** Variable, file or program that the key came from. Null: the program that embeds the agent has it. */
  readonly keyFrom: string | null;
}

/** Limits of an account, and when they were reported. */
export interface SeenLimits extends AccountLimits {
  /** Milliseconds since 1970. */
  readonly seenAt: number;
}

/** The limits that servers last reported, one entry for each account. Losing an entry does no harm. */
export interface SeenLimitsFile {
  note(limits: AccountLimits): void;
}

const NAME = 'usage-limits.json';

export function openSeenLimits(home: string, now: () => number): SeenLimitsFile {
  let last = '';
  return {
    note(limits) {
      const text = JSON.stringify(limits);
      if (text === last) return;
      last = text;
      const others = readSeenLimits(home).filter((seen) => accountOf(seen) !== accountOf(limits));
      write(home, [...others, { ...limits, seenAt: now() }]);
    },
  };
}

/** Returns the limits that were last reported for each account. */
export function readSeenLimits(home: string): readonly SeenLimits[] {
  try {
    const stored: unknown = JSON.parse(readFileSync(join(home, NAME), 'utf8'));
    return Array.isArray(stored) ? stored.filter(isSeen) : [];
  } catch {
    return [];
  }
}

function isSeen(value: unknown): value is SeenLimits {
  return isRecord(value) && typeof value.provider === 'string' && Array.isArray(value.windows);
}

const accountOf = ({ provider, keyFrom }: AccountLimits) => JSON.stringify([provider, keyFrom]);

function write(home: string, limits: readonly SeenLimits[]): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const draft = join(home, `${NAME}.${process.pid}`);
    writeFileSync(draft, `${JSON.stringify(limits, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, join(home, NAME));
  } catch {
    // The home cannot be written to. The next answer has the limits again.
  }
}
