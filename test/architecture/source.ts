import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A file as the rules see it. The path is relative to the package, with slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The files and folders that the rules check. */
export interface Tree {
  readonly files: readonly SourceFile[];
  /** Every folder, also those without files. */
  readonly folders: readonly string[];
}

/** A sentence that every tree must satisfy, as a function, with a tree that breaks it. */
export interface Rule {
  readonly name: string;
  /** One line per violation, beginning with the path. */
  check(tree: Tree): string[];
  /** Files that break the rule (a name that ends in a slash is a folder), with the violations that they lead to. */
  readonly broken: { readonly files: Readonly<Record<string, string>>; readonly gives: readonly string[] };
}

/** Reads the package's own code: the files in `src/` and `test/`, and the config of the tests. */
export function readTree(root: string): Tree {
  const entries = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).map((entry) => ({
      path: join(entry.parentPath, entry.name).slice(root.length + 1),
      isFolder: entry.isDirectory(),
    })),
  );
  const paths = [...entries.filter((entry) => !entry.isFolder).map((entry) => entry.path), 'vitest.config.ts'];
  return {
    files: paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
    folders: entries.filter((entry) => entry.isFolder).map((entry) => entry.path),
  };
}

/** Returns a made-up tree. */
export function treeOf(files: Readonly<Record<string, string>>): Tree {
  const entries = Object.entries(files);
  return {
    files: entries.filter(([path]) => !path.endsWith('/')).map(([path, text]) => ({ path, text })),
    folders: entries.filter(([path]) => path.endsWith('/')).map(([path]) => path.slice(0, -1)),
  };
}

export const isCode = (file: SourceFile) => file.path.endsWith('.ts');
export const isTest = (file: SourceFile) => file.path.endsWith('.test.ts');
/** Reports whether a file of `src/` only serves tests. */
export const isFixture = ({ path }: SourceFile) => /\/fixtures\/|\/test-[\w-]+\.ts$/.test(path);

/** Returns the folder of `src/` that a file belongs to; undefined for files outside the folders. */
export function folderOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

const parsed = new WeakMap<SourceFile, ts.SourceFile>();

/** Returns the syntax tree of a file, parsed once. */
export function syntaxOf(file: SourceFile): ts.SourceFile {
  let syntax = parsed.get(file);
  if (syntax === undefined) {
    syntax = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ES2023, true);
    parsed.set(file, syntax);
  }
  return syntax;
}

/** Calls `visit` for every node below `node`, outer ones first. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  node.forEachChild((child) => {
    visit(child);
    walk(child, visit);
  });
}

/** Returns `path:line` of a node. */
export function at(file: SourceFile, node: ts.Node): string {
  const { line } = syntaxOf(file).getLineAndCharacterOfPosition(node.getStart());
  return `${file.path}:${line + 1}`;
}
