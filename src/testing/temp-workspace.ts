import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** A folder that git accepts as a repository, and a home for Oxbow outside it. */
export interface TempWorkspace {
  /** Absolute path without symbolic links. */
  readonly path: string;
  /** Value for `OXBOW_HOME`. */
  readonly home: string;
  /** Returns the absolute path of a file in the workspace. */
  file(name: string): string;
  /** Writes a file and the folders above it. Returns its path. */
  write(name: string, content: string | Uint8Array): string;
  read(name: string): string;
  /** Writes the home's config.toml. */
  configure(toml: string): void;
  /** Deletes everything. */
  dispose(): void;
}

/** Makes a workspace in the temporary folder with the files, given as name → content. */
export function createWorkspace(files: Readonly<Record<string, string | Uint8Array>> = {}): TempWorkspace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-test-')));
  const path = join(root, 'workspace');
  const home = join(root, 'home');
  mkdirSync(home);
  makeRepository(path);

  const file = (name: string) => resolve(path, name);
  const write = (name: string, content: string | Uint8Array) => writeWithFolders(file(name), content);
  for (const [name, content] of Object.entries(files)) write(name, content);
  return {
    path,
    home,
    file,
    write,
    read: (name) => readFileSync(file(name), 'utf8'),
    configure: (toml) => writeFileSync(join(home, 'config.toml'), toml),
    dispose: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Makes the files of `git init`, without the cost of a process. */
function makeRepository(path: string): void {
  const git = join(path, '.git');
  mkdirSync(join(git, 'objects'), { recursive: true });
  mkdirSync(join(git, 'refs', 'heads'), { recursive: true });
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(git, 'config'), '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n');
}

function writeWithFolders(path: string, content: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}
