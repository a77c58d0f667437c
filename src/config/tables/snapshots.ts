import type { Settings } from '../setting/settings-reader.ts';

/** `[snapshots]`: whether the workspace is kept before a turn changes it, and how much that may take. */
export interface SnapshotsConfig {
  readonly enabled: boolean;
  /** A workspace with more files is not kept. */
  readonly maxFiles: number;
  /** A workspace with more bytes in the files that would be kept is not kept. */
  readonly maxBytes: number;
  /** Larger files are left out. */
  readonly maxFileBytes: number;
  /** How long a turn waits for it. */
  readonly timeoutMs: number;
  /** Older ones are deleted. */
  readonly keepDays: number;
}

const MIB = 1024 * 1024;

export function readSnapshots(settings: Settings): SnapshotsConfig {
  const number = (key: string) => settings.number('snapshots', key);
  return {
    enabled: settings.boolean('snapshots', 'enabled') ?? false,
    maxFiles: number('max_files') ?? 50_000,
    maxBytes: number('max_bytes') ?? 512 * MIB,
    maxFileBytes: number('max_file_bytes') ?? 16 * MIB,
    timeoutMs: number('timeout_ms') ?? 10_000,
    keepDays: number('keep_days') ?? 30,
  };
}
