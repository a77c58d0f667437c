import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATH } from '../environment/test-environment.ts';
import { createTestRepository } from '../git/test-repository.ts';
import { type RestoreOptions, restoreWorkspace } from './restore-workspace.ts';
import { type KeepOptions, type KeptSnapshot, keepWorkspace } from './snapshot-workspace.ts';

const LIMITS = { maxFiles: 10_000, maxBytes: 1e8, maxFileBytes: 1e6 };

/** Creates a workspace with a home for its snapshots, for tests. */
export function createSnapshotScene({ repository = true }: { readonly repository?: boolean } = {}) {
  const outer = repository ? createTestRepository() : plainFolder();
  const home = join(outer.folder, 'oxbow-home');
  const env = { PATH, HOME: join(outer.folder, 'user'), GIT_CONFIG_NOSYSTEM: '1' };
  mkdirSync(env.HOME);
  const signal = new AbortController().signal;
  const workspace = { root: outer.root, isRepository: repository, barred: [], env, untrustedFolders: [] };

  const tryToKeep = (more: Partial<KeepOptions> = {}) =>
    keepWorkspace({
      workspace,
      home,
      userFolder: env.HOME,
      limits: LIMITS,
      timeoutMs: 60_000,
      thread: 'thread-1',
      now: Date.now,
      signal,
      ...more,
    });

  async function keep(more: Partial<KeepOptions> = {}): Promise<KeptSnapshot> {
    const kept = await tryToKeep(more);
    if ('reason' in kept) throw new Error(kept.reason);
    return kept;
  }

  const restore = (name: string, more: Partial<RestoreOptions> = {}) =>
    restoreWorkspace({
      home,
      name,
      dryRun: false,
      isRepository: () => repository,
      barred: [],
      env,
      untrustedFolders: [],
      thread: 'thread-1',
      now: Date.now,
      signal,
      ...more,
    });

  return {
    root: outer.root,
    home,
    env,
    workspace,
    tryToKeep,
    keep,
    restore,
    at: (name: string) => join(outer.root, name),
    git: 'git' in outer ? outer.git : () => '',
    dispose: outer.dispose,
  };
}

export type SnapshotScene = ReturnType<typeof createSnapshotScene>;

/**
 * Returns everything below a folder except git's own: kind, mode and contents by path. Names are bytes, one per
 * character.
 */
export function contentOf(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (folder: string) => {
    for (const name of readdirSync(Buffer.from(join(root, folder), 'latin1'), 'latin1')) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const full = Buffer.from(`${Buffer.from(root).toString('latin1')}/${path}`, 'latin1');
      const stat = lstatSync(full);
      if (name === '.git') continue;
      const mode = (stat.mode & 0o777).toString(8);
      if (stat.isDirectory()) visit(path);
      if (stat.isDirectory()) found[`${path}/`] = mode;
      else if (stat.isSymbolicLink()) found[path] = `-> ${readlinkSync(full, 'latin1')}`;
      else found[path] = stat.isFile() ? `${mode} ${readFileSync(full, 'latin1')}` : 'special';
    }
  };
  visit('');
  return found;
}

/** Returns all of a folder with sizes and times, to check that nothing touched it. */
export function fingerprint(root: string): readonly string[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return names.map((name) => {
    const stat = lstatSync(join(root, name));
    const content = stat.isFile() ? readFileSync(join(root, name), 'latin1') : '';
    return `${name} ${stat.mtimeMs} ${stat.ctimeMs} ${content}`;
  });
}

function plainFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-plain-')));
  const root = join(folder, 'work');
  mkdirSync(root);
  return { folder, root, dispose: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Creates scenes that are disposed together. */
export function createSnapshotScenes() {
  const made: SnapshotScene[] = [];
  return {
    open(options?: { readonly repository?: boolean }): SnapshotScene {
      const scene = createSnapshotScene(options);
      made.push(scene);
      return scene;
    },
    close(): void {
      for (const scene of made.splice(0)) scene.dispose();
    },
  };
}
