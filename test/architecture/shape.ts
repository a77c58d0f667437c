import ts from 'typescript';
import { importsOf } from './imports.ts';
import { at, isCode, isTest, type Rule, type SourceFile, syntaxOf, type Tree, walk } from './source.ts';

const FILE_LINES = 400;
const TEST_FILE_LINES = 600;
const FUNCTION_LINES = 60;

/** Functions with a cap of their own: `path name`. */
const FUNCTION_EXCEPTIONS: Readonly<Record<string, number>> = { 'src/engine/turn/turn.ts runTurn': 90 };

const FORBIDDEN_WORDS = ['utils', 'util', 'helpers', 'helper', 'common', 'shared', 'misc', 'manager', 'service', 'v2'];

const lines = (count: number) => 'let x;\n'.repeat(count);

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
    check: (tree) => tree.files.filter(isCode).flatMap(longFile),
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
];

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
