import ts from 'typescript';
import { at, isCode, isTest, type Rule, type SourceFile, syntaxOf, type Tree, walk } from './source.ts';

const REGISTRY = 'src/wire/registry.ts';

/** Tables with a line for each wire, besides the registry. */
const TABLES = ['src/repair/repair-stream.ts', 'src/testing/wires/'];

/** Code that only tests run. */
const FOR_TESTS = /\/fixtures\/|\/test-[^/]*$/;

/** Rules about the names of wires. A branch on a name would take a third wire for the second. */
export const wireNameRules: readonly Rule[] = [
  {
    name: 'no code outside of the registries asks for a wire by its name',
    check: (tree) => {
      const names = wireNames(tree);
      if (names.size === 0) return [`${REGISTRY}: has no table called WIRES`];
      const files = tree.files.filter((file) => isCode(file) && !isTest(file) && !mayName(file.path, names));
      return files.flatMap((file) => namedWires(file, names));
    },
    broken: {
      files: {
        [REGISTRY]: `const WIRES = { chat: { path: '/chat' }, 'two-way': {} } satisfies Record<string, object>;\nif (name === 'chat') f();`,
        'src/wire/chat/client.ts': `export const client = { name: 'chat' };\nif (x === 'chat') f();`,
        'src/repair/two-way/repair.ts': `if (spoken === 'chat') f();`,
        'src/repair/repair-stream.ts': 'const REPAIRS = { chat: 1, "two-way": 2 };',
        'src/adapt/fixtures/a.ts': `f(loadWire('chat'));`,
        'src/gateway/test-answer.ts': `const isChat = wire === 'chat';`,
        'src/model/headers.ts': `if (wire === 'chat') f();\nconst g = 'two-way' !== wire ? 1 : 2;\nconst data = { wire: 'chat', title: 'a chat' };`,
        'src/gateway/a.ts': `switch (wire) {\n  case 'chat':\n    f();\n}\nconst b = table['chat'];\nconst c = REPLY_WIRES.chat;\nconst d = person.chat;`,
        'src/gateway/b.ts': `type W = 'auto' | 'chat';\nconst e = known.has('chat');\nconst f = await loadWire('two-way');\nsay('chat');`,
        'src/app/c.ts': `const PATHS = { chat: '/a', 'two-way': '/b' };\nconst names = ['chat', 'two-way'];\nconst one = { chat: 1 };`,
        'src/app/c.test.ts': `if (wire === 'chat') f();`,
      },
      gives: [
        'src/model/headers.ts:1: names the wire chat; what depends on a wire is a member of it',
        'src/model/headers.ts:2: names the wire two-way; what depends on a wire is a member of it',
        'src/gateway/a.ts:2: names the wire chat; what depends on a wire is a member of it',
        'src/gateway/a.ts:5: names the wire chat; what depends on a wire is a member of it',
        'src/gateway/a.ts:6: names the wire chat; what depends on a wire is a member of it',
        'src/gateway/b.ts:1: names the wire chat; what depends on a wire is a member of it',
        'src/gateway/b.ts:2: names the wire chat; what depends on a wire is a member of it',
        'src/gateway/b.ts:3: names the wire two-way; what depends on a wire is a member of it',
        'src/app/c.ts:1: names the wires chat, two-way; what depends on a wire is a member of it',
        'src/app/c.ts:2: names the wires chat, two-way; what depends on a wire is a member of it',
      ],
    },
  },
];

/** Returns the keys of the object `WIRES` in the registry. */
function wireNames(tree: Tree): ReadonlySet<string> {
  const names = new Set<string>();
  for (const file of tree.files.filter(({ path }) => path === REGISTRY)) {
    walk(syntaxOf(file), (node) => {
      if (!ts.isVariableDeclaration(node) || node.name.getText() !== 'WIRES' || node.initializer === undefined) return;
      const { initializer } = node;
      const table = ts.isSatisfiesExpression(initializer) ? initializer.expression : initializer;
      if (ts.isObjectLiteralExpression(table)) for (const name of keysOf(table)) names.add(name);
    });
  }
  return names;
}

function mayName(path: string, names: ReadonlySet<string>): boolean {
  if (!path.startsWith('src/') || path === REGISTRY || FOR_TESTS.test(path)) return true;
  const folder = /^src\/(?:wire|repair)\/([^/]+)\//.exec(path)?.[1];
  return (folder !== undefined && names.has(folder)) || TABLES.some((table) => path.startsWith(table));
}

function namedWires(file: SourceFile, names: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const report = (node: ts.Node, ...wires: readonly string[]) => {
    const what = wires.length === 1 ? `the wire ${wires[0]}` : `the wires ${wires.join(', ')}`;
    found.push(`${at(file, node)}: names ${what}; what depends on a wire is a member of it`);
  };
  walk(syntaxOf(file), (node) => {
    const listed = listedNames(node).filter((name) => names.has(name));
    if (listed.length > 1) report(node, ...listed);
    else if (ts.isStringLiteralLike(node) && names.has(node.text) && decides(node)) report(node, node.text);
    else if (ts.isPropertyAccessExpression(node) && names.has(node.name.text) && isTable(node.expression)) {
      report(node, node.name.text);
    }
  });
  return found;
}

/** Returns the texts that a table or a list is made of. */
function listedNames(node: ts.Node): readonly string[] {
  if (ts.isObjectLiteralExpression(node)) return keysOf(node);
  if (!ts.isArrayLiteralExpression(node)) return [];
  return node.elements.flatMap((element) => (ts.isStringLiteralLike(element) ? [element.text] : []));
}

function keysOf(table: ts.ObjectLiteralExpression): readonly string[] {
  return table.properties.flatMap(({ name }) =>
    name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) ? [name.text] : [],
  );
}

const EQUALITY: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
]);

/** Reports whether a text is compared, looked up or a type. Data that only holds it decides nothing. */
function decides(literal: ts.StringLiteralLike): boolean {
  const { parent } = literal;
  if (ts.isBinaryExpression(parent)) return EQUALITY.has(parent.operatorToken.kind);
  if (ts.isCallExpression(parent)) return /wire|(?:^|\.)(?:has|get|includes)$/i.test(parent.expression.getText());
  return ts.isCaseClause(parent) || ts.isElementAccessExpression(parent) || ts.isLiteralTypeNode(parent);
}

function isTable(expression: ts.Expression): boolean {
  return /wires$/i.test(expression.getText());
}
