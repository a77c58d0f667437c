import { type Layer, lookup } from './setting/layers.ts';
import { withoutKey } from './without-key.ts';

/** Whether a value is at least as strict as the one that holds without it. Values of the wrong type are not judged here. */
type AtLeastAsStrict = (value: unknown, below: unknown) => boolean;

const inOrder =
  (...strictestFirst: readonly unknown[]): AtLeastAsStrict =>
  (value, below) =>
    !strictestFirst.includes(value) || strictestFirst.indexOf(value) <= strictestFirst.indexOf(below);
const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');
const fewer: AtLeastAsStrict = (value, below) =>
  !isStrings(value) || value.every((entry) => isStrings(below) && below.includes(entry));
const more: AtLeastAsStrict = (value, below) =>
  !isStrings(value) || !isStrings(below) || below.every((entry) => value.includes(entry));

/** What a project may set only as strictly as it is without it, and what holds where nothing is set. */
const LIMITS: Readonly<Record<string, { readonly strict: AtLeastAsStrict; readonly fallback: unknown }>> = {
  // The policies that run commands without asking differ in whom they trust with leaving the sandbox.
  approval_policy: { strict: (value, below) => value === 'untrusted' || same(value, below), fallback: 'on-request' },
  sandbox_mode: {
    strict: inOrder('read-only', 'workspace-write', 'danger-full-access'),
    // Only a trusted project's settings are looked at.
    fallback: 'workspace-write',
  },
  'sandbox_workspace_write.writable_roots': { strict: fewer, fallback: [] },
  'sandbox_workspace_write.network_access': { strict: inOrder(false, true), fallback: false },
  'sandbox_workspace_write.exclude_slash_tmp': { strict: inOrder(true, false), fallback: false },
  'sandbox_workspace_write.exclude_tmpdir_env_var': { strict: inOrder(true, false), fallback: false },
  'sandbox_workspace_write.allowed_domains': { strict: fewer, fallback: [] },
  deny_read: { strict: more, fallback: [] },
  unix_sockets: { strict: inOrder('deny', 'private'), fallback: 'deny' },
  destructive_patches: { strict: inOrder('ask', 'allow'), fallback: 'ask' },
  'shell_environment_policy.inherit': { strict: inOrder('none', 'core', 'all'), fallback: 'all' },
  'shell_environment_policy.exclude': { strict: more, fallback: [] },
  // An empty list keeps everything.
  'shell_environment_policy.include_only': {
    strict: (value, below) => !isStrings(value) || isEmpty(below) || (value.length > 0 && fewer(value, below)),
    fallback: [],
  },
};

const isEmpty = (value: unknown) => isStrings(value) && value.length === 0;
const same = (value: unknown, other: unknown) => JSON.stringify(value) === JSON.stringify(other);

/** The layers of a project without what would make it looser what `below` says, and a warning for each such key. */
export function tighteningOnly(
  layers: readonly Layer[],
  below: readonly Layer[],
  userFile: string,
): { readonly layers: Layer[]; readonly warnings: string[] } {
  const warnings: string[] = [];
  const kept: Layer[] = [];
  for (const layer of layers) {
    const loose = Object.entries(LIMITS).filter(([key, limit]) => isLooser(layer, [...below, ...kept], key, limit));
    for (const [key] of loose) {
      warnings.push(
        `${key} in ${layer.origin} was ignored: a project may make it stricter, not looser. Set it in ${userFile}.`,
      );
    }
    kept.push({ ...layer, table: loose.reduce((table, [key]) => withoutKey(table, key.split('.')), layer.table) });
  }
  return { layers: kept, warnings };
}

function isLooser(
  layer: Layer,
  below: readonly Layer[],
  key: string,
  { strict, fallback }: { strict: AtLeastAsStrict; fallback: unknown },
): boolean {
  const path = key.split('.');
  const found = lookup([layer], path);
  return found !== undefined && !strict(found.value, lookup(below, path)?.value ?? fallback);
}
