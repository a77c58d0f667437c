import { UsageError } from '../parse-options.ts';
import type { ExecValues } from './exec-task.ts';

/** Options of Codex that have less effect here than there, and what to tell the user. */
const NOTES = {
  'approve-for-me':
    '--approve-for-me: no model approves anything here. Commands run in the workspace-write sandbox, and actions that need an approval are refused.',
  'dangerously-bypass-hook-trust': '--dangerously-bypass-hook-trust has no effect: hooks do not run yet.',
  'cyber-access-program': '--cyber-access-program has no effect: requests have no such field here.',
} as const satisfies Partial<Record<keyof ExecValues, string>>;

/** Options of Codex that cannot work here, and why. */
const REFUSALS = {
  remote: '--remote cannot be used with exec: it is for the screen of Codex.',
  'remote-auth-token-env': '--remote-auth-token-env cannot be used with exec: it is for the screen of Codex.',
  'full-auto': '--full-auto was removed, as in Codex. Use -s workspace-write.',
} as const satisfies Partial<Record<keyof ExecValues, string>>;

/** Returns sentences about options of Codex that do less than their names say. Throws `UsageError` for impossible ones. */
export function codexNotes(values: ExecValues): string[] {
  for (const [name, why] of entries(REFUSALS)) if (values[name] !== undefined) throw new UsageError(why);
  if (values['approve-for-me']) refuseBeside(values);
  return entries(NOTES).flatMap(([name, note]) => (values[name] === undefined ? [] : [note]));
}

function refuseBeside(values: ExecValues): void {
  for (const name of ['sandbox', 'dangerously-bypass-approvals-and-sandbox', 'yolo'] as const) {
    if (values[name] !== undefined)
      throw new UsageError(`--approve-for-me cannot be used with --${name}: it means --sandbox workspace-write.`);
  }
}

function entries<T extends object>(table: T): [keyof T, T[keyof T]][] {
  return Object.entries(table) as [keyof T, T[keyof T]][];
}
