// Writes the tables of docs/configuration.md and the type in src/config/settings.ts from the tables in src/config. With
// --check it only compares them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import ts from 'typescript';
import { settingsType } from './settings-type.mjs';

const ROOT = new URL('../', import.meta.url);
const PAGE = 'docs/configuration.md';
const TYPE = 'src/config/settings.ts';
const BLOCK = /(<!-- (\w+)(?:: ([\w -]+?))?(?: in ([\w.*]+))? -->\n)[\s\S]*?(<!-- end -->)/g;
const MIB = 1024 * 1024;

/** Placeholders for names that the user chooses, by the table that they stand in. */
const PLACEHOLDERS = {
  projects: '"/path"',
  model_prices: '"MODEL"',
  models: '"MODEL"',
  model_providers: 'ID',
  mcp_servers: 'NAME',
  tools: 'TOOL',
};

const { SETTINGS, BARRED_KEYS, CODEX_KEYS, GUARDING_KEYS, SCREEN_KEYS } = await loadTables();
const older = new Set(SETTINGS.map((setting) => setting.older));
const listed = new Set();

/** The blocks that a page may have, each with the function that returns its lines. */
const BLOCKS = {
  settings: (files, prefix) => {
    const docs = new Map(files.flatMap(docsOf));
    const settings = SETTINGS.filter(({ key }) => docs.has(key));
    const rows = settings.map((setting) => settingRow(setting, docs.get(setting.key), prefix));
    return table(['key', 'value', 'default', 'meaning'], rows);
  },
  variables: () => {
    const rows = SETTINGS.filter(({ variable }) => variable !== undefined);
    return table(
      ['variable', 'setting'],
      rows.map(({ key, variable }) => [code(variable), code(key)]),
    );
  },
  barred: () => {
    const rows = Object.entries(BARRED_KEYS).map(([reason, keys]) => [keys.map(code).join(', '), reason]);
    return table(['keys', 'because each of them'], rows);
  },
  codex: () => {
    const rows = Object.entries(CODEX_KEYS).map(([advice, keys]) => [
      keys.map((key) => code(withNames(key))).join(', '),
      keys.some((key) => GUARDING_KEYS.has(key)) ? 'the run stops' : SCREEN_KEYS.has(keys[0]) ? 'none' : 'a warning',
      advice,
    ]);
    return table(['keys', 'effect', 'what to do'], rows);
  },
  limits: () => {
    const rows = SETTINGS.filter(({ projectLimit }) => projectLimit !== undefined);
    return table(
      ['key', 'stricter'],
      rows.map(({ key, projectLimit }) => [code(key), projectLimit.stricter]),
    );
  },
};

const page = read(PAGE).replace(BLOCK, (_, start, block, names, prefix, end) => {
  return `${start}\n${BLOCKS[block](names?.split(' '), prefix).join('\n')}\n\n${end}`;
});
const missing = SETTINGS.filter((setting) => !older.has(setting) && !listed.has(setting.key));
if (missing.length > 0) throw new Error(`Not on the page: ${missing.map(({ key }) => key).join(', ')}.`);
for (const [path, text] of Object.entries({ [PAGE]: page, [TYPE]: settingsType(SETTINGS, allDocs()) })) {
  if (!process.argv.includes('--check')) writeFileSync(new URL(path, ROOT), text);
  else if (read(path) !== text) {
    console.error(`${path} is not what src/config/tables says. Run: node scripts/write-settings.mjs`);
    process.exitCode = 1;
  }
}

function read(path) {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

/** Returns the doc comment of each setting, by its key. */
function allDocs() {
  const files = readdirSync(new URL('src/config/tables/', ROOT)).filter((name) => /^[\w-]+\.ts$/.test(name));
  return new Map(files.flatMap((name) => docsOf(name.slice(0, -'.ts'.length))));
}

/** Loads the tables, which are TypeScript. */
async function loadTables() {
  const contents = `
    export { SETTINGS } from './src/config/settings-list.ts';
    export { BARRED_KEYS } from './src/config/barred-keys.ts';
    export { CODEX_KEYS, GUARDING_KEYS, SCREEN_KEYS } from './src/config/codex-keys.ts';`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT.pathname },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

function settingRow(setting, doc, prefix) {
  const { key, expected } = setting;
  listed.add(key);
  const nameOf = (full) =>
    code(withNames(prefix && full.startsWith(`${prefix}.`) ? full.slice(prefix.length + 1) : full));
  const value = expected
    .replace(/^one of /, '')
    .replace(' that is not negative', '')
    .replace(/"[^"]+"|\{\w+\}/g, code);
  const text = setting.older ? `${doc.text} Older name: ${nameOf(setting.older.key)}.` : doc.text;
  return [nameOf(key), value, defaultText(setting, doc), text];
}

/** Returns a key with a placeholder for each name that the user chooses. */
function withNames(key) {
  const [table] = key.split('.');
  return key.replace(/\*(?=\.)/, PLACEHOLDERS[table] ?? 'NAME').replaceAll('*', 'NAME');
}

/** Returns the default of the entry, or the text after `@default` where the entry has none or computes it. */
function defaultText({ key, default: value }, doc) {
  const isPlain = value !== null && typeof value !== 'function';
  if (isPlain && doc.default) throw new Error(`${key} has a default: remove its @default.`);
  if (typeof value === 'function' && !doc.default)
    throw new Error(`${key} computes its default: it needs an @default.`);
  if (!isPlain) return doc.default ?? '';
  if (typeof value === 'number' && value > 0 && value % MIB === 0) return `${code(value)} (${value / MIB} MiB)`;
  return JSON.stringify(value) === '{}' ? '' : code(JSON.stringify(value));
}

/** Returns the doc comment of each `setting(KEY, …)` in a file of tables. */
function docsOf(name) {
  const path = `src/config/tables/${name}.ts`;
  const source = ts.createSourceFile(path, readFileSync(new URL(path, ROOT), 'utf8'), ts.ScriptTarget.Latest, true);
  const docs = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'setting') {
      const key = node.arguments[0].text;
      const setting = SETTINGS.find((entry) => entry.key === key);
      if (setting !== undefined && !older.has(setting)) docs.push([key, docOf(node, key)]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return docs;
}

function docOf(call, key) {
  const owner = ts.isVariableDeclaration(call.parent) ? call.parent.parent.parent : call.parent;
  const [comment] = ts.getJSDocCommentsAndTags(owner).filter(ts.isJSDoc);
  const text = plain(ts.getTextOfJSDocComment(comment?.comment));
  if (!text) throw new Error(`${key} has no doc comment.`);
  const tag = comment.tags?.find(({ tagName }) => tagName.text === 'default');
  return { text, default: plain(ts.getTextOfJSDocComment(tag?.comment)) };
}

function plain(text) {
  return text?.replace(/\s+/g, ' ').trim();
}

function code(text) {
  return `\`${text}\``;
}

function table(head, rows) {
  const line = (cells) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`.replace(/ {2,}/g, ' ');
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)];
}
