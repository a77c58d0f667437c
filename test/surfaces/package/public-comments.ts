import ts from 'typescript';

/** A comment of an entry of the package: of a declaration, or of a member such as `Thread.run`. */
export interface PublicComment {
  readonly name: string;
  readonly text: string;
  /** Code of its `@example`, or an empty text. */
  readonly example: string;
}

/** Returns the comments of the declarations of an entry of a program, and of the members of its interfaces. */
export function publicComments(program: ts.Program, entry: string): PublicComment[] {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`${entry} is not a module: run \`npm run build\` first`);
  const commentOf = (name: string, symbol: ts.Symbol): PublicComment => ({
    name,
    text: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
    example: symbol
      .getJsDocTags(checker)
      .filter((tag) => tag.name === 'example')
      .map((tag) => ts.displayPartsToString(tag.text))
      .join('\n'),
  });
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const own = commentOf(exported.name, symbol);
    const interfaces = (symbol.declarations ?? []).filter(ts.isInterfaceDeclaration);
    const members = interfaces.flatMap((node) => checker.getTypeAtLocation(node).getProperties());
    // Members with symbols as names, such as Symbol.asyncDispose, have a meaning that the language defines.
    const named = members.filter(({ name }) => !name.startsWith('__@'));
    return [own, ...named.map((member) => commentOf(`${exported.name}.${member.name}`, member))];
  });
}
