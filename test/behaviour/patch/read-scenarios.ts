import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of a folder by their path in it. */
export type Tree = ReadonlyMap<string, string>;

/** A tree, a patch, and the tree after `oxbow apply-patch`. */
export interface Scenario {
  readonly name: string;
  readonly before: Tree;
  readonly patch: string;
  /** With an error and no partial application, the same as the tree before. */
  readonly after: Tree;
  /** The beginning of the command's error message; a file in it is spelled as in the patch. */
  readonly error: string | undefined;
  /** Whether the command keeps the changes before a failure. The tool never does. */
  readonly isPartial: boolean;
}

interface Case {
  readonly error?: string;
  readonly command?: 'partial';
}

const root = join(import.meta.dirname, 'scenarios');

/** Returns every scenario: a folder with `before/`, `patch.txt`, `after/` and, where something fails, `case.json`. */
export function readScenarios(): Scenario[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readScenario(name));
}

function readScenario(name: string): Scenario {
  const folder = join(root, name);
  const { error, command }: Case = existsSync(join(folder, 'case.json'))
    ? JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8'))
    : {};
  const before = readTree(join(folder, 'before'));
  const isPartial = command === 'partial';
  const after = error !== undefined && !isPartial ? before : readTree(join(folder, 'after'));
  return { name, before, patch: readFileSync(join(folder, 'patch.txt'), 'utf8'), after, error, isPartial };
}

/** Reads a tree. A missing folder is an empty one: git does not store empty folders. */
function readTree(folder: string): Tree {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}
