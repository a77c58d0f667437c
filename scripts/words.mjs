// Lists the comments and the sentences of docs that are hard to read. Usage: npm run words [-- PATH ...]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** Words and phrases that make a sentence hard to read, with the plain way to say it. */
const PHRASES = [
  [/\bmend(s|ed|ing|er)?\b/i, 'repair'],
  [/\bcarr(y|ies|ied|ying) (it |them |this |that )?out\b/i, 'run'],
  [/\bhears? of\b|\b(is|are|was|were|be) told\b/i, 'is notified, gets, learns'],
  [/\bfor so long\b|\bso (many|long)\b(?! (as|that))/i, 'N; for the time'],
  [/\bany more\b|\bin vain\b|\binside of\b|\boutside of\b/i, 'longer; unavailable; inside; outside'],
  [/\b(nobody|somebody|whoever|anybody|whom)\b/i, 'the caller, no reader'],
];

/** The same for comments only, where these words are never needed. */
const COMMENT_PHRASES = [
  ...PHRASES,
  [/\bgives?\b(?! up)/, 'returns'],
  [/\btold\b/, 'sent, notified'],
  [/\bbeside\b/, 'next to, besides'],
  [/(?<!\bthere )(?<!\bThere )\b(is|are|was|were) no\b(?! longer)/, 'is not a'],
  [/\b[Nn]one (is|are|was|were|has|can|may|of which|that)\b/, 'name the thing'],
];

/** Sentences that open with a clause instead of their subject. */
const HEADLESS = /(?:^|[.:;?] )(What|Whatever|Who|Whoever|Those|That of)\b/;

/** Files that quote others, or that a script writes: the pages in docs/api have comments of src/, which are read there. */
const SKIPPED =
  /^(test\/corpus\/quirks\/|docs\/api\/|docs\/wire-quirks\.md|CHANGELOG\.md|src\/prompt\/|src\/tools\/.*\.md|src\/.*\.md)/;

/** Lines that stay as they are, with the reason. */
const KEPT = [];

const faults = filesOf(process.argv.slice(2)).flatMap((path) => {
  const text = readFileSync(path, 'utf8');
  return path.endsWith('.md') ? docFaults(path, text) : commentFaults(path, text);
});
for (const fault of faults) process.stdout.write(`${fault}\n`);
if (faults.length > 0) {
  process.stderr.write(`${faults.length} sentences to rewrite. CONTEXT.md and AGENTS.md say how.\n`);
  process.exitCode = 1;
}

function filesOf(paths) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths], {
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((path) => /\.(ts|mjs|cjs|md)$/.test(path) && (paths.length > 0 || !SKIPPED.test(path)));
}

function docFaults(path, text) {
  const faults = [];
  let isCode = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) isCode = !isCode;
    if (isCode) continue;
    const plain = line.replace(/`[^`]*`/g, '``');
    for (const [pattern, better] of PHRASES)
      if (pattern.test(plain)) faults.push([index, pattern.exec(plain)[0], better, line]);
  }
  return faults.map(([index, found, better, line]) => report(path, index, `"${found}" (${better})`, line));
}

function commentFaults(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return commentsOf(source).flatMap(({ pos, end, node }) => {
    const words = plainText(text.slice(pos, end));
    if (words === '' || KEPT.some((kept) => kept.path === path && words.includes(kept.text))) return [];
    const line = source.getLineAndCharacterOfPosition(pos).line;
    const plain = words.replace(/`[^`]*`/g, '``').replace(/"[^"]*"|“[^”]*”/g, '""');
    return [...phraseFaults(plain), ...openingFaults(words, node)].map((why) => report(path, line, why, words));
  });
}

function phraseFaults(plain) {
  const found = COMMENT_PHRASES.filter(([pattern]) => pattern.test(plain));
  const headless = HEADLESS.exec(plain);
  return [
    ...found.map(([pattern, better]) => `"${pattern.exec(plain)[0]}" (${better})`),
    ...(headless ? [`opens with "${headless[1]}" (name the thing)`] : []),
  ];
}

/** Returns why the first word of a doc comment is not the right one. A comment of tags only, as in JavaScript, has none. */
function openingFaults(words, node) {
  if (words.startsWith('@')) return [];
  const first = /^[A-Za-z]+/.exec(words)?.[0] ?? '';
  if (isFunction(node) && !/^[A-Z][a-z]+s$/.test(first)) return ['a function begins with a verb (Returns, Sends)'];
  if (isType(node) && /^(How|Whether|Where|When|Returns|If|It)$/.test(first)) return ['a type begins with its noun'];
  return [];
}

function isFunction(node) {
  if (node === undefined) return false;
  if (ts.isFunctionDeclaration(node)) return true;
  if (!ts.isVariableStatement(node)) return false;
  const value = node.declarationList.declarations[0]?.initializer;
  return value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value));
}

function isType(node) {
  return (
    node !== undefined &&
    (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node))
  );
}

/** Returns every comment once, in order, with the statement that a doc comment belongs to. */
function commentsOf(source) {
  const found = new Map();
  const visit = (node) => {
    const before = ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? [];
    const after = ts.getTrailingCommentRanges(source.text, node.getEnd()) ?? [];
    for (const range of [...before, ...after]) {
      const known = found.get(range.pos);
      const isDoc = source.text.startsWith('/**', range.pos) && range === before.at(-1);
      if (known === undefined || (isDoc && known.node === undefined && ts.isStatement(node)))
        found.set(range.pos, { ...range, node: isDoc && ts.isStatement(node) ? node : undefined });
    }
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return joinLines(
    [...found.values()].toSorted((a, b) => a.pos - b.pos),
    source.text,
  );
}

/** Joins consecutive comments of one line. */
function joinLines(comments, text) {
  const joined = [];
  for (const comment of comments) {
    const last = joined.at(-1);
    const isNext = last && text.startsWith('//', last.pos) && text.startsWith('//', comment.pos);
    if (isNext && /^\n[ \t]*$/.test(text.slice(last.end, comment.pos))) last.end = comment.end;
    else joined.push({ ...comment });
  }
  return joined;
}

function plainText(comment) {
  return comment
    .replace(/^\/\*\*?|\*\/$/g, '')
    .replace(/^[ \t]*(\/\/|\*) ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function report(path, line, why, text) {
  return `${path}:${line + 1}: ${why}: ${text.length > 160 ? `${text.slice(0, 157)}...` : text}`;
}
