import ts from 'typescript';
import { importsOf } from './imports.ts';
import { at, isCode, isFixture, isTest, type Rule, type SourceFile, syntaxOf, type Tree, walk } from './source.ts';

const FILE_LINES = 400;
const TEST_FILE_LINES = 600;
const FUNCTION_LINES = 60;

/** Files that scripts write. They are long, and are read by a search. */
const WRITTEN = ['src/config/settings.ts'];

/** Functions with a cap of their own: `path name`. */
const FUNCTION_EXCEPTIONS: Readonly<Record<string, number>> = { 'src/engine/turn/turn.ts runTurn': 90 };

/** The most files that a file may import. More, and it is the place where everything meets. */
const IMPORTS = 20;

/** Tables with a line for each thing of a kind, and the entries of the package with the lists of their types. */
const REGISTRIES = [
  'src/index.ts',
  'src/app/public-types.ts',
  'src/base/public-types.ts',
  'src/testing/index.ts',
  'src/tools/registry.ts',
  'src/cli/commands/index.ts',
  'src/config/settings-list.ts',
  'src/repair/text/dialects/dialects.ts',
  'src/tui/commands/index.ts',
];

/** State of the process itself, which no object can own. */
const PROCESS_STATE: readonly { readonly path: string; readonly names: readonly string[]; readonly why: string }[] = [
  {
    path: 'src/app/thread/own-environment.ts',
    names: ['open'],
    why: 'one listener for the exit of the process ends the environments of all agents',
  },
  {
    path: 'src/exec/process/marked-process.ts',
    names: ['killed'],
    why: 'one listener for the exit of the process ends the processes of all agents',
  },
  {
    path: 'src/exec/process/terminal-descriptors.ts',
    names: ['ours', 'nothing'],
    why: 'the numbers of open descriptors belong to the process',
  },
  {
    path: 'src/exec/sandbox/find-sandbox.ts',
    names: ['known'],
    why: 'a fact about the machine, which every agent would look for again',
  },
  {
    path: 'src/exec/sandbox/name-stubs.ts',
    names: ['stubs', 'removal'],
    why: 'stubs on disk serve the commands of all threads of the process',
  },
  {
    path: 'src/store/lock/thread-hold.ts',
    names: ['open'],
    why: 'two stores over one home must not write to the same thread',
  },
];

const FORBIDDEN_WORDS = ['utils', 'util', 'helpers', 'helper', 'common', 'shared', 'misc', 'manager', 'service', 'v2'];

const lines = (count: number) => 'let x;\n'.repeat(count);
const imports = (count: number) => Array.from({ length: count }, (_, at) => `import './${at}.ts';\n`).join('');

/** Size, names and the graph of files. */
export const shapeRules: readonly Rule[] = [
  {
    name: 'files do not import each other in a circle, types included',
    check: cycles,
    broken: {
      files: {
        'src/base/a.ts': `import type { B } from './b.ts';`,
        'src/base/b.ts': `import { c } from './c.ts';`,
        'src/base/c.ts': `const a = () => import('./a.ts');`,
        'src/base/d.ts': `import { a } from './a.ts';`,
        'src/base/e.ts': `export * from './e.ts';`,
      },
      gives: ['src/base/a.ts: imports itself by way of src/base/b.ts, src/base/c.ts', 'src/base/e.ts: imports itself'],
    },
  },
  {
    name: 'no folder of src/ is empty',
    check: ({ files, folders }) =>
      folders
        .filter((folder) => folder.startsWith('src/') && !files.some((file) => file.path.startsWith(`${folder}/`)))
        .map((folder) => `${folder}: the folder is empty`),
    broken: {
      files: { 'src/wire/': '', 'src/wire/chat/': '', 'src/wire/index.ts': '', 'src/tui/': '', 'src/tui/parts/': '' },
      gives: [
        'src/wire/chat: the folder is empty',
        'src/tui: the folder is empty',
        'src/tui/parts: the folder is empty',
      ],
    },
  },
  {
    name: `a file has at most ${FILE_LINES} lines, a test ${TEST_FILE_LINES}`,
    check: (tree) => tree.files.filter((file) => isCode(file) && !WRITTEN.includes(file.path)).flatMap(longFile),
    broken: {
      files: {
        'src/base/long.ts': lines(401),
        'src/base/right.ts': lines(400),
        'src/base/long.test.ts': lines(601),
        'src/base/right.test.ts': lines(600),
        'test/harness/long.ts': lines(401),
      },
      gives: [
        'src/base/long.ts: 401 lines, at most 400',
        'src/base/long.test.ts: 601 lines, at most 600',
        'test/harness/long.ts: 401 lines, at most 400',
      ],
    },
  },
  {
    name: `a function has at most ${FUNCTION_LINES} lines`,
    check: (tree) => tree.files.filter((file) => isCode(file) && !isTest(file)).flatMap(longFunctions),
    broken: {
      files: {
        'src/base/a.ts': `/** Counted\n * without\n * this. */\nexport function a() {\n${lines(58)}}\nexport function b() {\n${lines(59)}}`,
        'src/base/b.ts': `const c = () => {\n${lines(59)}};\nclass D {\n  e() {\n${lines(59)}}\n}`,
        'src/engine/turn/turn.ts': `function runTurn() {\n${lines(88)}}\nfunction other() {\n${lines(59)}}`,
        'src/base/a.test.ts': `test('x', () => {\n${lines(90)}});`,
      },
      gives: [
        'src/base/a.ts:64: the function b has 61 lines, at most 60',
        'src/base/b.ts:1: the function c has 61 lines, at most 60',
        'src/base/b.ts:63: the function e has 61 lines, at most 60',
        'src/engine/turn/turn.ts:91: the function other has 61 lines, at most 60',
      ],
    },
  },
  {
    name: `no file or folder is called ${FORBIDDEN_WORDS.join(', ')}`,
    check: (tree) => tree.files.flatMap(forbiddenWords),
    broken: {
      files: {
        'src/base/utils.ts': '',
        'src/wire/chat/stream-helper.ts': '',
        'test/common/a.test.ts': '',
        'src/base/utility.ts': '',
      },
      gives: [
        'src/base/utils.ts: utils says nothing about what is in it',
        'src/wire/chat/stream-helper.ts: helper says nothing about what is in it',
        'test/common/a.test.ts: common says nothing about what is in it',
      ],
    },
  },
  {
    name: `a file imports at most ${IMPORTS} others, types included`,
    check: (tree) => tree.files.filter(isProduction).flatMap(manyImports),
    broken: {
      files: {
        'src/app/agent.ts': imports(21),
        'src/app/right.ts': imports(20) + imports(20),
        'src/app/agent.test.ts': imports(30),
        'src/tools/registry.ts': imports(30),
      },
      gives: ['src/app/agent.ts: imports 21 files, at most 20'],
    },
  },
  {
    name: 'an exported type has a name of its own',
    check: repeatedTypes,
    broken: {
      files: {
        'src/base/a.ts': 'export interface Place {}\ninterface Step {}\nexport const Other = 1;',
        'src/wire/b.ts': 'export type Place = string;\nexport type Step = 1;\nexport class Other {}',
        'src/wire/fixtures/c.ts': 'export interface Place {}',
      },
      gives: ['src/wire/b.ts:1: the type Place has the name of one in src/base/a.ts'],
    },
  },
  {
    name: 'no variable of a module changes',
    check: (tree) => tree.files.filter(isProduction).flatMap(moduleState),
    broken: {
      files: {
        'src/base/a.ts':
          'let count = 0;\nconst known = new Map<string, number>();\nconst memo = new WeakMap();\nfunction f() {\n  let x;\n}',
        'src/base/b.ts': `const NONE: ReadonlySet<string> = new Set();\nconst open = new Set<string>(),\n  WORDS = new Set(['a']);\nconst list: string[] = [];`,
        'src/base/c.test.ts': 'let count = 0;',
      },
      gives: [
        'src/base/a.ts:1: count is state of a module; an object should own it',
        'src/base/a.ts:2: known is state of a module; an object should own it',
        'src/base/b.ts:2: open is state of a module; an object should own it',
        'src/base/b.ts:4: list is state of a module; an object should own it',
      ],
    },
  },
];

const isProduction = (file: SourceFile) =>
  isCode(file) && file.path.startsWith('src/') && !isTest(file) && !isFixture(file);

function manyImports(file: SourceFile): string[] {
  const { size } = targetsOf(file);
  if (size <= IMPORTS || REGISTRIES.includes(file.path)) return [];
  return [`${file.path}: imports ${size} files, at most ${IMPORTS}`];
}

function repeatedTypes(tree: Tree): string[] {
  const known = new Map<string, string>();
  const found: string[] = [];
  for (const file of tree.files.filter(isProduction)) {
    for (const node of syntaxOf(file).statements.filter(isExportedType)) {
      const name = node.name?.text ?? '';
      const first = known.get(name);
      if (first === undefined) known.set(name, file.path);
      else if (first !== file.path) found.push(`${at(file, node)}: the type ${name} has the name of one in ${first}`);
    }
  }
  return found;
}

type TypeStatement = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration;

function isExportedType(node: ts.Statement): node is TypeStatement {
  if (!ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node) && !ts.isClassDeclaration(node))
    return false;
  return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function moduleState(file: SourceFile): string[] {
  const lists = syntaxOf(file).statements.filter(ts.isVariableStatement);
  return lists.flatMap(({ declarationList: { flags, declarations } }) =>
    declarations
      .filter((declaration) => (flags & ts.NodeFlags.Const) === 0 || isFilledLater(declaration))
      .filter(
        ({ name }) => !PROCESS_STATE.some((kept) => kept.path === file.path && kept.names.includes(name.getText())),
      )
      .map((node) => `${at(file, node)}: ${node.name.getText()} is state of a module; an object should own it`),
  );
}

/** Reports whether a constant is an empty collection that its type lets code add to. */
function isFilledLater({ type, initializer }: ts.VariableDeclaration): boolean {
  if (initializer === undefined || (type !== undefined && /^readonly |^Readonly/.test(type.getText()))) return false;
  if (ts.isArrayLiteralExpression(initializer)) return initializer.elements.length === 0;
  return (
    ts.isNewExpression(initializer) &&
    /^(Map|Set)$/.test(initializer.expression.getText()) &&
    !initializer.arguments?.length
  );
}

function cycles(tree: Tree): string[] {
  const targets = new Map(tree.files.filter(isCode).map((file) => [file.path, targetsOf(file)]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      const way = trail.slice(start + 1).join(', ');
      found.push(`${path}: imports itself${way === '' ? '' : ` by way of ${way}`}`);
      return;
    }
    if (done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return found;
}

function targetsOf(file: SourceFile): Set<string> {
  return new Set(importsOf(file).flatMap(({ target }) => target ?? []));
}

function longFile(file: SourceFile): string[] {
  const cap = isTest(file) ? TEST_FILE_LINES : FILE_LINES;
  const count = file.text.split('\n').length - (file.text.endsWith('\n') ? 1 : 0);
  return count > cap ? [`${file.path}: ${count} lines, at most ${cap}`] : [];
}

function longFunctions(file: SourceFile): string[] {
  const syntax = syntaxOf(file);
  const found: string[] = [];
  walk(syntax, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return;
    const lineOf = (position: number) => syntax.getLineAndCharacterOfPosition(position).line;
    const count = lineOf(node.getEnd()) - lineOf(node.getStart()) + 1;
    const name = nameOf(node);
    const cap = FUNCTION_EXCEPTIONS[`${file.path} ${name}`] ?? FUNCTION_LINES;
    if (count > cap) found.push(`${at(file, node)}: the function ${name} has ${count} lines, at most ${cap}`);
  });
  return found;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText();
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : 'without a name';
}

function forbiddenWords({ path }: SourceFile): string[] {
  return path
    .split(/[/.-]/)
    .filter((word) => FORBIDDEN_WORDS.includes(word))
    .map((word) => `${path}: ${word} says nothing about what is in it`);
}
