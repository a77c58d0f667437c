// Counts what makes a tree easy or hard to read: sizes, importers, cycles, casts, state. Usage: npm run metrics [--
// FOLDER]
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(process.argv[2] ?? '.');
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  .map((path) => readSource(join(root, 'src', path)));
const production = files.filter(({ path }) => !/\.test\.ts$|\/fixtures\/|\/test-[\w-]+\.ts$/.test(path));
const importers = countImporters(production);

const rows = [
  ['production files / lines', `${production.length} / ${sum(production.map(({ lines }) => lines))}`],
  ['unit test files', String(files.filter(({ path }) => path.endsWith('.test.ts')).length)],
  ['lines a file, median / p90 / p99 / max', spread(production.map(({ lines }) => lines))],
  ['files over 200 lines / at most 20 / at most 12', sizes(production)],
  ['functions: count, lines median / p90 / p99 / max', functionRow(production)],
  ['files with one importer / of at most 20 lines', oneImporter()],
  ['most imports of a file', largest(production.map(({ path, imports }) => [path, imports.length]))],
  ['most importers of a file', largest([...importers])],
  ['import cycles, types and lazy edges included', String(cycles(production))],
  ['classes', total((node) => ts.isClassDeclaration(node))],
  ['any / non-null !', `${total((node) => node.kind === ts.SyntaxKind.AnyKeyword)} / ${total(ts.isNonNullExpression)}`],
  ['casts (without as const) / satisfies', `${total(isCast)} / ${total(ts.isSatisfiesExpression)}`],
  ['try', total(ts.isTryStatement)],
  ['module variables that change', String(sum(production.map(({ source }) => changing(source))))],
  ['import()', total((node) => ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)],
  ['exported capitalised names in two or more files', String(repeatedNames(production))],
];
const width = Math.max(...rows.map(([name]) => name.length));
for (const [name, value] of rows) process.stdout.write(`${name.padEnd(width)}  ${value}\n`);

function readSource(path) {
  const text = readFileSync(path, 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports = [];
  walk(source, (node) => {
    const specifier = node.moduleSpecifier ?? (isLazy(node) ? node.arguments[0] : node.argument?.literal);
    if (specifier && ts.isStringLiteral(specifier) && specifier.text.startsWith('.'))
      imports.push(resolve(dirname(path), specifier.text));
  });
  return { path, source, lines: text.split('\n').length - 1, imports: [...new Set(imports)] };
}

function isLazy(node) {
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
}

function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

function total(matches) {
  let count = 0;
  for (const { source } of production) walk(source, (node) => void (matches(node) && count++));
  return String(count);
}

function isCast(node) {
  return ts.isAsExpression(node) && node.type.getText() !== 'const';
}

function functionRow(sources) {
  const lengths = [];
  for (const { source } of sources) {
    const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
    walk(source, (node) => {
      if (ts.isFunctionLike(node) && node.body) lengths.push(lineOf(node.end) - lineOf(node.getStart()) + 1);
    });
  }
  return `${lengths.length}; ${spread(lengths)}`;
}

function spread(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return [at(0.5), at(0.9), at(0.99), sorted.at(-1)].join(' / ');
}

function sizes(sources) {
  const count = (fits) => sources.filter(({ lines }) => fits(lines)).length;
  return [count((n) => n > 200), count((n) => n <= 20), count((n) => n <= 12)].join(' / ');
}

function countImporters(sources) {
  const counts = new Map(sources.map(({ path }) => [path, 0]));
  for (const { imports } of sources) for (const path of imports) counts.set(path, (counts.get(path) ?? 0) + 1);
  return counts;
}

function oneImporter() {
  const alone = production.filter(({ path }) => importers.get(path) === 1);
  return `${alone.length} / ${alone.filter(({ lines }) => lines <= 20).length}`;
}

function largest(counts) {
  const top = counts.toSorted((a, b) => b[1] - a[1]).slice(0, 3);
  return top.map(([path, count]) => `${relative(join(root, 'src'), path)} ${count}`).join(', ');
}

/** Counts the files that import themselves through others. */
function cycles(sources) {
  const edges = new Map(sources.map(({ path, imports }) => [path, imports]));
  return sources.filter(({ path }) => {
    const seen = new Set(edges.get(path));
    for (const next of seen) for (const further of edges.get(next) ?? []) seen.add(further);
    return seen.has(path);
  }).length;
}

/** Counts `let` at the top of a module, and maps and sets that code fills there. A WeakMap is a memo. */
function changing(source) {
  const lists = source.statements.filter(ts.isVariableStatement).map(({ declarationList }) => declarationList);
  return sum(
    lists.map(({ flags, declarations }) =>
      flags & ts.NodeFlags.Let
        ? declarations.length
        : declarations.filter(({ type, initializer }) => isFilled(type, initializer)).length,
    ),
  );
}

function isFilled(type, initializer) {
  if (!initializer || !ts.isNewExpression(initializer) || /^Readonly/.test(type?.getText() ?? '')) return false;
  return ['Map', 'Set'].includes(initializer.expression.getText()) && (initializer.arguments ?? []).length === 0;
}

function repeatedNames(sources) {
  const places = new Map();
  for (const { path, source } of sources) {
    for (const statement of source.statements) {
      const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
      const name = isExported ? statement.name?.text : undefined;
      if (name && /^[A-Z]/.test(name)) places.set(name, new Set(places.get(name)).add(path));
    }
  }
  return [...places.values()].filter(({ size }) => size > 1).length;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
