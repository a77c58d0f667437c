import { lstatSync, realpathSync } from 'node:fs';
import { ToolFailure } from '../../base/errors.ts';
import { isInside } from '../../base/guarded-paths.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { type FixedPaths, type FixedRoot, fixPaths } from './fix-paths.ts';

/**
 * The places that the commands of a thread may and may not touch. A place is fixed when a policy first names it, and
 * known by its device and inode from then on: commands can change where a name leads.
 */
export interface Places {
  /** Returns the places of a policy, which are fixed by the first call. */
  of(policy: SandboxPolicy): PolicyPlaces;
}

export interface PolicyPlaces {
  readonly fixed: FixedPaths;
  /** The policy with its paths as they were fixed. */
  readonly policy: SandboxPolicy;
  /**
   * Examines the places before a command. A root that was replaced by another folder is taken again. Throws
   * `ToolFailure` where a link has taken the place of a root, or a hidden path was moved away; from then on always.
   */
  examine(): PresentPlaces;
}

/** The places of a policy that exist. */
export interface PresentPlaces {
  readonly roots: readonly Place[];
  readonly hidden: readonly Place[];
  /** Hidden places that the user named: those that are not key files. */
  readonly denied: readonly Place[];
  /** Hidden paths that do not exist. */
  readonly awaited: readonly string[];
  readonly home: string | undefined;
}

export interface Place {
  /** Path without links. */
  readonly path: string;
  /** Device and inode. */
  readonly identity: string;
  readonly isFolder: boolean;
}

/** Creates the places of a thread. `tell` shows a note to the user. `home` is the home where a policy names none. */
export function createPlaces(tell: (note: string) => void, home?: string): Places {
  const known = new Map<string, PolicyPlaces>();
  const named = new Map<string, FixedRoot>();
  const told = new Set<string>();
  let stopped: ToolFailure | undefined;

  function tellOnce(note: string): void {
    if (told.has(note)) return;
    told.add(note);
    tell(note);
  }

  function create(policy: SandboxPolicy): PolicyPlaces {
    const fixed = fixPaths(policy, named);
    for (const [name, root] of fixed.named) named.set(name, root);
    fixed.notes.forEach(tellOnce);
    const folders = new Map(fixed.hidden.map((path) => [path, look(path)] as const));
    return {
      fixed,
      policy: withFixed(policy, fixed),
      examine() {
        if (stopped !== undefined) throw stopped;
        try {
          return present(fixed, folders);
        } catch (error) {
          if (error instanceof ToolFailure && fixed.refusal === undefined) stopped = error;
          throw error;
        }
      },
    };
  }

  return {
    of(given) {
      const policy = home === undefined || given.home !== undefined ? given : { ...given, home };
      const { mode, writableRoots, denyRead, keyFiles } = policy;
      const key = JSON.stringify([mode, writableRoots, denyRead, keyFiles, policy.home]);
      const places = known.get(key) ?? create(policy);
      known.set(key, places);
      return places;
    },
  };
}

type Found = Place | 'gone' | 'behind a link';

function present(fixed: FixedPaths, atFirst: ReadonlyMap<string, Found>): PresentPlaces {
  if (fixed.refusal !== undefined) throw new ToolFailure('permission', fixed.refusal);
  const isPlace = (found: Found) => typeof found === 'object';
  const roots = fixed.roots.map((path) => rootAt(path)).filter(isPlace);
  const hidden = fixed.hidden.map((path) => hiddenAt(path, fixed, atFirst.get(path))).filter(isPlace);
  const appeared = fixed.awaited.map(look).filter(isPlace);
  const all = [...hidden, ...appeared];
  return {
    roots,
    hidden: all,
    denied: all.filter(({ path }) => !fixed.keys.includes(path)),
    awaited: [...fixed.hidden, ...fixed.awaited].filter((path) => !all.some((place) => place.path === path)),
    home: fixed.home,
  };
}

function rootAt(path: string): Found {
  const found = look(path);
  if (found === 'behind a link') throw stop(`the writable folder ${path} was replaced by a link`);
  return found;
}

/** Looks at a hidden path. Where no command can write, it may go and come: the user may delete it or save it anew. */
function hiddenAt(path: string, { roots }: FixedPaths, atFirst: Found | undefined): Found {
  const found = look(path);
  if (!roots.some((root) => isInside(path, root))) return found;
  // A file may be another one now, since editors replace files. The place of a folder is taken only by a rename.
  const isReplaced =
    typeof found === 'object' && typeof atFirst === 'object' && atFirst.isFolder && found.identity !== atFirst.identity;
  if (typeof found !== 'object' || isReplaced) throw stop(`${path}, which must not be read, was moved or deleted`);
  return found;
}

function look(path: string): Found {
  try {
    // An exception takes longer than the call.
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return 'gone';
    if (realpathSync.native(path) !== path) return 'behind a link';
    return { path, identity: `${stat.dev}:${stat.ino}`, isFolder: stat.isDirectory() };
  } catch {
    return 'gone';
  }
}

function stop(what: string): ToolFailure {
  return new ToolFailure(
    'permission',
    `The command was not run, and no further one will be in this thread: ${what} since the thread began. ` +
      'Look at what commands did there, put it back, and start a new thread.',
  );
}

function withFixed(policy: SandboxPolicy, { roots, hidden, awaited, home }: FixedPaths): SandboxPolicy {
  const { denyRead, keyFiles, ...rest } = policy;
  const barred = [...hidden, ...awaited];
  return {
    ...rest,
    writableRoots: roots,
    ...(barred.length === 0 ? {} : { denyRead: barred }),
    ...(home === undefined ? {} : { home }),
  };
}
