import { join } from 'node:path';
import ts from 'typescript';
import { type Block, REPOSITORY } from './doc-pages.ts';

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  // Examples leave out the types of parameters, as programs in JavaScript do.
  noImplicitAny: false,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
};

/**
 * Returns a sentence for each type error of the blocks, checked against the built package. `names` has the types of
 * names that blocks use and do not declare, such as `thread`.
 */
export function typeErrors(blocks: readonly Block[], names: Readonly<Record<string, string>>): string[] {
  // Files in the root of the repository resolve `oxbow` to the package itself, and so to dist/.
  const files = new Map(
    blocks.map((block) => [join(REPOSITORY, `${block.page.replace(/\W/g, '-')}-${block.line}.ts`), block]),
  );
  const host = ts.createCompilerHost(OPTIONS);
  const readFile = host.readFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  host.readFile = (path) => {
    const block = files.get(path);
    return block ? `${block.text}export {};\n${declarations(block.text, names)}` : readFile(path);
  };
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.getSourceFile = (path, version) => {
    const text = host.readFile(path);
    return text === undefined ? undefined : ts.createSourceFile(path, text, version, true);
  };
  const program = ts.createProgram([...files.keys()], OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => sentence(diagnostic, files));
}

function sentence({ file, start = 0, messageText }: ts.Diagnostic, files: ReadonlyMap<string, Block>): string {
  const text = ts.flattenDiagnosticMessageText(messageText, ' ');
  const block = file && files.get(file.fileName);
  if (!file || !block) return text;
  return `${block.page}:${block.line + 1 + file.getLineAndCharacterOfPosition(start).line}: ${text}`;
}

function declarations(text: string, names: Readonly<Record<string, string>>): string {
  return freeNames(text, Object.keys(names))
    .map((name) => `declare const ${name}: ${names[name]};\n`)
    .join('');
}

/** Returns a program as Node runs it. */
export function withoutTypes(text: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}

/** Returns those of the names that a block uses and does not declare. */
export function freeNames(text: string, names: readonly string[]): string[] {
  const source = ts.createSourceFile('example.ts', text, ts.ScriptTarget.Latest, true);
  const declared = new Set<string>();
  const used = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (
      ts.isImportSpecifier(node) ||
      ts.isVariableDeclaration(node) ||
      ts.isBindingElement(node) ||
      ts.isParameter(node)
    ) {
      if (ts.isIdentifier(node.name)) declared.add(node.name.text);
    }
    if (ts.isIdentifier(node) && !isMemberName(node)) used.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names.filter((name) => used.has(name) && !declared.has(name));
}

function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) && parent.name === node;
}
