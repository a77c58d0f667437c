// Writes docs/api/: a page for each entry of the package, from its declarations in dist/. With --check it only compares them.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import ts from 'typescript';

const FOLDER = 'docs/api';
const CODE = '```';

/** Kinds of declarations in the order of a page, with the word for each. */
const KINDS = [
  [ts.SyntaxKind.FunctionDeclaration, 'function'],
  [ts.SyntaxKind.ClassDeclaration, 'class'],
  [ts.SyntaxKind.VariableDeclaration, 'const'],
  [ts.SyntaxKind.InterfaceDeclaration, 'interface'],
  [ts.SyntaxKind.TypeAliasDeclaration, 'type'],
];

const entries = readEntries();
const program = ts.createProgram(
  entries.map(({ file }) => file),
  { strict: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext, types: ['node'] },
);
const checker = program.getTypeChecker();
const pages = writePages();
const stale = stalePages();

if (!process.argv.includes('--check')) {
  mkdirSync(FOLDER, { recursive: true });
  for (const name of stale) if (!pages.has(name)) rmSync(`${FOLDER}/${name}`);
  for (const [name, text] of pages) writeFileSync(`${FOLDER}/${name}`, text);
} else if (stale.length > 0) {
  process.stderr.write(`${stale.join(', ')} in ${FOLDER} does not match the types: run \`npm run docs:api\`.\n`);
  process.exitCode = 1;
}

/** Returns the entries of the package: the name in an import, the name of the page, the file with the declarations. */
function readEntries() {
  const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8'));
  return Object.entries(exports).flatMap(([path, { types }]) =>
    types ? [{ name: path.replace('.', name), page: `${path === '.' ? 'index' : path.slice(2)}.md`, file: types }] : [],
  );
}

/** Returns the text of each page, by its name. A declaration that the first entry has too is described there only. */
function writePages() {
  const [main, ...others] = entries.map((entry) => ({ ...entry, declarations: declarationsOf(entry) }));
  const described = new Map(main.declarations.map((one) => [one.title, one]));
  const isDescribed = (one) => described.get(one.title)?.code === one.code;
  return new Map([
    [main.page, pageOf(main, main.declarations, [])],
    ...others.map((entry) => [
      entry.page,
      pageOf(
        entry,
        entry.declarations.filter((one) => !isDescribed(one)),
        entry.declarations.filter(isDescribed),
      ),
    ]),
  ]);
}

function pageOf({ name }, own, shared) {
  const hrefs = new Map([
    ...own.map((one) => [one.name, `#${slug(one.title)}`]),
    ...shared.map((one) => [one.name, `index.md#${slug(one.title)}`]),
  ]);
  const link = (to) => `[${to}](${hrefs.get(to)})`;
  const links = shared.map((one) => link(one.name));
  const more = links.length > 0 ? [`## Also exported\n\nDescribed in [oxbow](index.md): ${links.join(', ')}.`] : [];
  const note = `Everything that \`${name}\` exports. \`npm run docs:api\` writes this page from the types.`;
  return `${[`# ${name}`, note, ...own.map((one) => sectionOf(one, link)), ...more].join('\n\n')}\n`;
}

function sectionOf({ title, comment, examples, code, uses }, link) {
  return [
    `## ${title}`,
    ...(comment ? [comment] : []),
    `${CODE}ts\n${code}\n${CODE}`,
    ...examples.map((example) => `Example:\n\n${CODE}ts\n${example}\n${CODE}`),
    ...(uses.length > 0 ? [`See ${uses.map(link).join(', ')}.`] : []),
  ].join('\n\n');
}

function slug(title) {
  return title.toLowerCase().replaceAll(' ', '-');
}

/** Returns the declarations that an entry exports, by kind and name. */
function declarationsOf({ file }) {
  const source = checker.getSymbolAtLocation(program.getSourceFile(file));
  const exported = checker.getExportsOfModule(source).map((symbol) => [targetOf(symbol), symbol.name]);
  const names = new Map(exported);
  const read = exported.map(([symbol, name]) => readDeclaration(symbol, name, names));
  const order = ({ title }) => KINDS.findIndex(([, word]) => title.startsWith(`${word} `));
  return read.sort((a, b) => order(a) - order(b) || (a.name < b.name ? -1 : 1));
}

function readDeclaration(symbol, name, names) {
  const nodes = symbol.declarations.filter(({ kind }) => KINDS.some(([known]) => known === kind));
  const [, word] = KINDS.find(([kind]) => kind === nodes[0]?.kind) ?? [];
  if (!word) throw new Error(`${name} is of a kind that scripts/write-api.mjs does not know.`);
  const parts = nodes.map((node) => readCode(word === 'const' ? node.parent.parent : node, names));
  const tags = symbol.getJsDocTags(checker).filter((tag) => tag.name === 'example');
  return {
    name,
    title: `${word} ${name}`,
    comment: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
    examples: tags.map(({ text }) => ts.displayPartsToString(text)),
    code: parts.map(({ code }) => code).join('\n'),
    uses: [...new Set(parts.flatMap(({ uses }) => uses))].filter((used) => used !== name),
  };
}

/** Returns the code of a declaration, with each name as the entry exports it, and the exported names in it. */
function readCode(node, names) {
  const uses = [];
  const start = node.getStart();
  let code = '';
  let end = start;
  const visit = (child) => {
    const symbol = ts.isIdentifier(child) && checker.getSymbolAtLocation(child);
    const name = symbol && names.get(targetOf(symbol));
    if (name) {
      uses.push(name);
      code += node.getSourceFile().text.slice(end, child.getStart()) + name;
      end = child.getEnd();
    }
    ts.forEachChild(child, visit);
  };
  visit(node);
  code += node.getSourceFile().text.slice(end, node.getEnd());
  return { code: code.replace(/^declare /, '').replace(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2)), uses };
}

function targetOf(symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Returns the names of the pages that are missing, too many, or different from the types. */
function stalePages() {
  const there = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
  const isFresh = (name) => there.includes(name) && readFileSync(`${FOLDER}/${name}`, 'utf8') === pages.get(name);
  return [...new Set([...there, ...pages.keys()])].filter((name) => !isFresh(name));
}
