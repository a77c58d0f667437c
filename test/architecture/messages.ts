import ts from 'typescript';
import { at, folderOf, isCode, isTest, type Rule, type SourceFile, syntaxOf, walk } from './source.ts';

/** Folders that may name flags: the command line, the terminal that only it opens, and texts for models. */
const MAY_NAME_FLAGS = ['cli', 'tui', 'prompt'];

/** Flags and commands of other programs, messages of older versions of this one, and the reasons for others. */
const FLAGS_OF_OTHERS: readonly { readonly path: string; readonly says: RegExp; readonly why: string }[] = [
  {
    path: 'src/exec/sandbox/describe-sandbox.ts',
    says: /\bbwrap --/,
    why: 'a command that shows what bubblewrap lacks',
  },
  { path: 'src/store/lines/unpack-rollout.ts', says: /\bzstd -d --rm/, why: 'a command that unpacks a file' },
  { path: 'src/adapters/exec/far-files.ts', says: /\bgit hash-object --/, why: 'a script that runs git' },
  {
    path: 'src/mcp-client/connect/fault-of.ts',
    says: /Run: oxbow mcp login /,
    why: 'the sentence also goes to the model, to which no surface words a remedy',
  },
  { path: 'src/patch/', says: /^diff --git /, why: 'the first line of a git diff' },
];

/** Code that has to read messages. */
const MAY_READ_MESSAGES: readonly { readonly path: string; readonly why: string }[] = [
  { path: 'src/wire/edge/failure-code.ts', why: 'servers say in words that a history is too long' },
  { path: 'src/adapt/', why: 'servers say in words what they refuse' },
  { path: 'src/repair/', why: 'frames and texts of models' },
  { path: 'src/model/', why: 'answers of servers' },
  { path: 'src/engine/replay/older-failure.ts', why: 'logs of older versions' },
  { path: 'src/exec/files/system-error.ts', why: 'Node puts code, reason and path into one text' },
  { path: 'src/exec/pty/load-binding.ts', why: 'of what the loader says, the first line is shown' },
  { path: 'src/testing/', why: 'suites test that a message names what it is about' },
  { path: 'src/cli/parse-options.ts', why: 'of what the parser of Node says, the first sentence is shown' },
];

/** Rules about the messages of errors. */
export const messageRules: readonly Rule[] = [
  {
    name: 'no message below cli/ names a flag or a command of the command line',
    check: (tree) => ownCode(tree.files).flatMap(flagsNamed),
    broken: {
      files: {
        'src/engine/state/limits.ts': `throw new LimitReached('The limit of ' + n + ' was reached (--max-requests).');`,
        'src/store/lock/lock.ts':
          "const text = 'Go on in a copy: oxbow exec fork';\nconst next = '--ephemeral keeps no record.';",
        'src/gateway/server/serve.ts':
          "const flags = ['--port', '--work-tree=' + root];\n// Choose another one with --port.",
        'src/patch/git-diff.ts': "const header = 'diff --git ' + a + ' ' + b;",
        'src/cli/wording.ts': "const advice = 'Choose another one with --port.';",
        'src/store/lock/lock.test.ts': "expect(text).toContain('see oxbow exec --help');",
      },
      gives: [
        'src/engine/state/limits.ts:1: names --max-requests, which only the command line has',
        'src/store/lock/lock.ts:1: names oxbow exec, which only the command line has',
        'src/store/lock/lock.ts:2: names --ephemeral, which only the command line has',
      ],
    },
  },
  {
    name: 'nothing is decided by the text of a message',
    check: (tree) => ownCode(tree.files).flatMap(messagesRead),
    broken: {
      files: {
        'src/engine/a.ts': "if (error.message.includes('Nothing')) f();\nconst [first] = failure.message.split(':');",
        'src/app/b.ts': "if (/^The limit/.test(error.message)) f();\nif (messageOf(error).startsWith('x')) f();",
        'src/store/c.ts':
          "const n = pattern.exec(failure.message)?.[1];\nif (message === 'interrupted') f();\nreturn message?.startsWith('a');",
        'src/model/d.ts': "if (error.message.includes('context')) f();",
        'src/exec/e.ts': "const text = error.message.slice(0, 9) + message.length;\nif (event.type === 'message') f();",
      },
      gives: [
        'src/engine/a.ts:1: reads a message: an error says in a field what it is',
        'src/engine/a.ts:2: reads a message: an error says in a field what it is',
        'src/app/b.ts:1: reads a message: an error says in a field what it is',
        'src/app/b.ts:2: reads a message: an error says in a field what it is',
        'src/store/c.ts:1: reads a message: an error says in a field what it is',
        'src/store/c.ts:2: reads a message: an error says in a field what it is',
        'src/store/c.ts:3: reads a message: an error says in a field what it is',
      ],
    },
  },
];

/** Returns the files of `src/` without tests and their fixtures. */
function ownCode(files: readonly SourceFile[]): readonly SourceFile[] {
  const isOwn = ({ path }: SourceFile) => path.startsWith('src/') && !path.includes('/fixtures/');
  return files.filter((file) => isCode(file) && !isTest(file) && isOwn(file));
}

/** A flag in a sentence. A literal with nothing but a flag is an argument for another program. */
const FLAG = /(?:^|[\s(,;:"'`])(--[a-z][a-z-]*)(?=[\s).,;:"'`]|$)/;
const COMMANDS =
  'exec|threads|gateway|mcp|sandbox|apply-patch|execpolicy|doctor|config|replay|trust|usage|demo|completion';
const COMMAND = new RegExp(`\\boxbow (?:${COMMANDS})\\b`);

function flagsNamed(file: SourceFile): string[] {
  if (MAY_NAME_FLAGS.includes(folderOf(file.path) ?? '')) return [];
  const allowed = FLAGS_OF_OTHERS.filter(({ path }) => file.path.startsWith(path));
  const found: string[] = [];
  walk(syntaxOf(file), (node) => {
    const text = literalText(node);
    if (text === undefined || !/\s/.test(text) || allowed.some(({ says }) => says.test(text))) return;
    const name = FLAG.exec(text)?.[1] ?? COMMAND.exec(text)?.[0];
    if (name !== undefined) found.push(`${at(file, node)}: names ${name}, which only the command line has`);
  });
  return found;
}

function literalText(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) return node.text;
  return ts.isTemplateMiddle(node) || ts.isTemplateTail(node) ? node.text : undefined;
}

const READERS = ['includes', 'startsWith', 'endsWith', 'indexOf', 'match', 'matchAll', 'search', 'split'];

function messagesRead(file: SourceFile): string[] {
  if (MAY_READ_MESSAGES.some(({ path }) => file.path.startsWith(path))) return [];
  const found: string[] = [];
  walk(syntaxOf(file), (node) => {
    if (isReading(node)) found.push(`${at(file, node)}: reads a message: an error says in a field what it is`);
  });
  return found;
}

function isReading(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node)) return isEquality(node.operatorToken.kind) && isMessageBesideText(node);
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { expression: subject, name } = node.expression;
  if (READERS.includes(name.text)) return isMessage(subject);
  const [argument] = node.arguments;
  return (name.text === 'test' || name.text === 'exec') && argument !== undefined && isMessage(argument);
}

function isEquality(kind: ts.SyntaxKind): boolean {
  return kind === ts.SyntaxKind.EqualsEqualsEqualsToken || kind === ts.SyntaxKind.ExclamationEqualsEqualsToken;
}

function isMessageBesideText({ left, right }: ts.BinaryExpression): boolean {
  return (isMessage(left) && isSentence(right)) || (isMessage(right) && isSentence(left));
}

function isSentence(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) && node.text !== '';
}

/** Reports whether a node is `error.message`, a variable `message`, or `messageOf(error)`. */
function isMessage(node: ts.Node): boolean {
  if (ts.isIdentifier(node)) return node.text === 'message';
  if (ts.isPropertyAccessExpression(node)) return node.name.text === 'message';
  return ts.isCallExpression(node) && node.expression.getText() === 'messageOf';
}
