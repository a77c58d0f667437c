import { join } from 'node:path';
import ts from 'typescript';
import { REPOSITORY } from './doc-pages.ts';

const TYPES = join(REPOSITORY, 'dist');

/**
 * Returns each type that the declarations of an entry of a program reach and that the entry does not export, with the type that
 * names it: `Provider of Agent`. Types in `hidden` are not reported and not followed.
 */
export function unnamedTypes(program: ts.Program, entry: string, hidden: ReadonlySet<string>): string[] {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`${entry} is not a module: run \`npm run build\` first`);
  const target = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exported = checker.getExportsOfModule(module).map(target);
  const reached = new Map<ts.Symbol, string>(exported.map((symbol) => [symbol, '']));
  for (const [symbol] of reached) {
    for (const name of (symbol.declarations ?? []).flatMap((declaration) => namesIn(declaration, hidden))) {
      const named = checker.getSymbolAtLocation(name);
      const type = named && target(named);
      if (type && !reached.has(type) && isOurs(type)) reached.set(type, symbol.name);
    }
  }
  return [...reached].flatMap(([{ name }, by]) => (by === '' ? [] : [`${name} of ${by}`]));
}

/** Returns the names of types in a declaration. The arguments of a hidden type count as hidden too. */
function namesIn(node: ts.Node, hidden: ReadonlySet<string>): ts.Node[] {
  const name = nameOf(node);
  if (name && hidden.has(name.getText())) return [];
  const below: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    below.push(...namesIn(child, hidden));
  });
  return name ? [name, ...below] : below;
}

function nameOf(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  return ts.isImportTypeNode(node) ? node.qualifier : undefined;
}

function isOurs({ flags, declarations = [] }: ts.Symbol): boolean {
  if (flags & ts.SymbolFlags.TypeParameter) return false;
  return declarations.some((declaration) => declaration.getSourceFile().fileName.startsWith(TYPES));
}
