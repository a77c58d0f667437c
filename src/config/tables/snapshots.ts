import { COUNT, FLAG } from '../setting/kinds.ts';
import { setting, type ValuesOf } from '../setting/setting.ts';

const MIB = 1024 * 1024;

export const SNAPSHOT_SETTINGS = {
  /**
   * Whether the workspace is stored before a turn changes it, so that it can be [restored](snapshots.md). The first
   * change of a turn waits for it.
   */
  enabled: setting('snapshots.enabled', FLAG, { default: false }),
  /** Number of files. A workspace with more of them is not stored. */
  maxFiles: setting('snapshots.max_files', COUNT, { default: 50_000 }),
  /** Number of bytes in the files to store. A workspace with more of them is not stored. */
  maxBytes: setting('snapshots.max_bytes', COUNT, { default: 512 * MIB }),
  /** Size of a file. Larger files are left out. */
  maxFileBytes: setting('snapshots.max_file_bytes', COUNT, { default: 16 * MIB }),
  /** Milliseconds that a turn waits for its snapshot. Then it goes on without one. */
  timeoutMs: setting('snapshots.timeout_ms', COUNT, { default: 10_000 }),
  /** Days after which a snapshot is deleted. */
  keepDays: setting('snapshots.keep_days', COUNT, { default: 30 }),
};

/** Settings of the snapshots that are taken before a turn changes the workspace. */
export interface SnapshotsConfig extends ValuesOf<typeof SNAPSHOT_SETTINGS> {}
