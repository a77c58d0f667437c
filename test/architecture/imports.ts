import { posix } from 'node:path';
import ts from 'typescript';
import { at, type SourceFile, syntaxOf, walk } from './source.ts';

/** One import, export-from or `import()` of a file. */
export interface Import {
  /** `path:line` */
  readonly at: string;
  readonly specifier: string;
  /** The path of the file it names; undefined for packages and built-in modules. */
  readonly target: string | undefined;
  readonly kind: 'value' | 'type' | 'lazy';
}

const found = new WeakMap<SourceFile, readonly Import[]>();

/** Returns everything that a file imports, in the order of the text. */
export function importsOf(file: SourceFile): readonly Import[] {
  let imports = found.get(file);
  if (imports === undefined) {
    imports = findImports(file);
    found.set(file, imports);
  }
  return imports;
}

function findImports(file: SourceFile): Import[] {
  const imports: Import[] = [];
  walk(syntaxOf(file), (node) => {
    const named = specifierOf(node);
    if (named === undefined) return;
    const { specifier, kind } = named;
    const target = specifier.startsWith('.') ? posix.join(posix.dirname(file.path), specifier) : undefined;
    imports.push({ at: at(file, node), specifier, target, kind });
  });
  return imports;
}

function specifierOf(node: ts.Node): Pick<Import, 'specifier' | 'kind'> | undefined {
  if (ts.isImportDeclaration(node)) return text(node.moduleSpecifier, onlyTypes(node.importClause) ? 'type' : 'value');
  if (ts.isExportDeclaration(node)) return text(node.moduleSpecifier, onlyTypes(node) ? 'type' : 'value');
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return text(node.argument.literal, 'type');
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return text(node.arguments[0], 'lazy') ?? { specifier: node.arguments[0]?.getText() ?? '', kind: 'lazy' };
  }
  return undefined;
}

function text(node: ts.Node | undefined, kind: Import['kind']): Pick<Import, 'specifier' | 'kind'> | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? { specifier: node.text, kind } : undefined;
}

function onlyTypes(node: ts.ImportClause | ts.ExportDeclaration | undefined): boolean {
  if (node === undefined) return false;
  if (ts.isExportDeclaration(node)) return node.isTypeOnly || allTypes(node.exportClause);
  return node.phaseModifier === ts.SyntaxKind.TypeKeyword || (node.name === undefined && allTypes(node.namedBindings));
}

function allTypes(names: ts.Node | undefined): boolean {
  if (names === undefined || !(ts.isNamedImports(names) || ts.isNamedExports(names))) return false;
  return names.elements.length > 0 && names.elements.every((element) => element.isTypeOnly);
}
