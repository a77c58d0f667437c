import { mkdirSync } from 'node:fs';
import { byDepth, isInside } from '../../base/guarded-paths.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { type FollowedPath, followPath } from './follow-path.ts';

/** The paths of a policy as they were when a thread first used the policy. Except for names they are without links. */
export interface FixedPaths {
  /** Where the names of the writable roots lead. */
  readonly named: FixedRoots;
  /** Writable roots. A root stands before the roots inside it. */
  readonly roots: readonly string[];
  /** Paths that may not be read, and exist. */
  readonly hidden: readonly string[];
  /** Paths that may not be read once they exist. */
  readonly awaited: readonly string[];
  /** Key files of Oxbow and Codex, which are among the hidden and awaited paths. */
  readonly keys: readonly string[];
  /** Oxbow's home. */
  readonly home: string | undefined;
  /** Why no command can be confined. */
  readonly refusal: string | undefined;
  /** Sentences about paths that have no effect. */
  readonly notes: readonly string[];
}

/** Writable roots by the names that policies have for them. */
export type FixedRoots = ReadonlyMap<string, FixedRoot>;

export interface FixedRoot {
  /** Undefined for a root that does not count. */
  readonly path: string | undefined;
  /** Why it does not count. */
  readonly note?: string;
}

/**
 * Returns the paths of a policy. `earlier` are the roots that the thread has fixed before, which stay as they are: its
 * commands may have changed where their names lead.
 */
export function fixPaths(policy: SandboxPolicy, earlier: FixedRoots = new Map()): FixedPaths {
  const named = fixRoots(policy.mode === 'workspace-write' ? policy.writableRoots : [], earlier);
  const roots = [...new Set([...named.values()].flatMap(({ path }) => path ?? []))].sort(byDepth);
  const home = policy.home === undefined ? undefined : fixHome(policy.home, roots);
  const denied = (policy.denyRead ?? []).map((path) => ({ path, ...followPath(path) }));
  const keys = (policy.keyFiles ?? []).map((path) => followPath(path));
  const paths = [...denied, ...keys];
  const missing = denied.filter(({ exists }) => !exists).map(({ path }) => missingNote(path));
  return {
    named,
    roots,
    hidden: [...new Set(paths.filter(({ exists }) => exists).map(({ end }) => end))],
    awaited: paths.filter(({ exists }) => !exists).map(({ end }) => end),
    keys: keys.map(({ end }) => end),
    home: home?.path,
    refusal: paths.some(({ end }) => end === '/') ? ALL_HIDDEN : home?.refusal,
    notes: [
      ...[...named.values()].flatMap(({ note }) => note ?? []),
      ...(policy.mode === 'danger-full-access' ? [] : missing),
      ...roots.filter((root) => root === home?.path).map(homeNote),
    ],
  };
}

/**
 * Returns where roots lead, by their names. A missing root does not count: a command could make it a link. Neither does
 * a root behind a link in a root: a command could change the link, or may have made it in an earlier run.
 */
export function fixRoots(names: readonly string[], earlier: FixedRoots): Map<string, FixedRoot> {
  const followed = new Map(names.filter((name) => !earlier.has(name)).map((name) => [name, followPath(name)]));
  const writable = [
    ...[...earlier.values()].flatMap(({ path }) => path ?? []),
    ...[...followed.values()].filter(({ exists }) => exists).map(({ end }) => end),
  ];
  const fix = (name: string, root: FollowedPath | undefined): FixedRoot => {
    if (!root?.exists) return { path: undefined, note: absentNote(name) };
    const link = changeableLink(root, writable);
    return link === undefined ? { path: root.end } : { path: undefined, note: linkNote(name, link, root.end) };
  };
  return new Map(names.map((name) => [name, earlier.get(name) ?? fix(name, followed.get(name))]));
}

/** Returns the first link of a path that lies in a writable folder. */
function changeableLink({ links }: Pick<FollowedPath, 'links'>, writable: readonly string[]): string | undefined {
  return links.find((link) => writable.some((folder) => isInside(link, folder)));
}

/** Finds the home. A missing home is made where a command could make it otherwise. */
function fixHome(name: string, roots: readonly string[]): { path: string; refusal?: string } {
  const { end: path, links } = followPath(name);
  const link = changeableLink({ links }, roots);
  if (link !== undefined) return { path, refusal: homeRefusal(name, link, path) };
  if (roots.some((root) => isInside(path, root))) makeFolder(path);
  return { path };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    // A command has no more rights than we have.
  }
}

function absentNote(name: string): string {
  return `The writable folder ${name} does not exist and does not count in this thread. Create it before the thread begins if commands should write to it.`;
}

function linkNote(name: string, link: string, target: string): string {
  return (
    `The writable folder ${name} does not count: it leads through the link ${link}, which commands can change. ` +
    `If commands should write there, name ${target} instead.`
  );
}

function missingNote(path: string): string {
  const why = path.includes('*')
    ? 'which matches nothing: patterns with * are not supported. Name files and folders instead.'
    : 'which does not exist. Nothing is hidden there as long as that is so.';
  return `deny_read names ${path}, ${why}`;
}

const ALL_HIDDEN = 'No command can run: deny_read names the folder /.';

function homeNote(path: string): string {
  return `Commands cannot write to the folder ${path}: it is Oxbow's home, which decides what runs outside the sandbox.`;
}

function homeRefusal(name: string, link: string, target: string): string {
  return (
    `No command can run: Oxbow's home ${name} leads through the link ${link}, which commands can change. ` +
    `Set OXBOW_HOME to ${target}.`
  );
}
