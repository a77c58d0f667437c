import ts from 'typescript';
import { at, isCode, type Rule, type SourceFile, syntaxOf, walk } from './source.ts';

/** Files whose reader demands a default export. */
const DEFAULT_EXPORTERS = ['vitest.config.ts', 'test/harness/summary-reporter.ts'];

const SILENCED = /biome-ignore|@ts-(?:ignore|expect-error|nocheck)|eslint-disable|oxlint-disable/;

/** The number of comments that may silence a checker. It only ever goes down. */
const SILENCED_CAP = 0;

/** Vendors of models, as patterns. A quirk has a name of its own; the data of a provider says which vendor has it. */
const VENDORS =
  'openai anthropic claude groq grok \\bxai\\b glm zhipu \\bz\\.ai\\b deepseek qwen dashscope moonshot kimi minimax mistral gemini google vertexai bedrock azure \\bgpt cerebras fireworks openrouter ollama vllm sglang llama\\.?cpp lm.?studio litellm perplexity hugging.?face nvidia sambanova siliconflow doubao volcengine togetherai \\bcohere\\b'.split(
    ' ',
  );
const VENDOR = new RegExp(VENDORS.join('|'), 'gi');

/** Code that runs in each exchange of a gateway. */
const EXCHANGE = /^src\/(?:gateway|model|wire|repair|adapt)\/(?!.*\.test\.ts$)/;

/** Functions that run properties and draw samples. */
const RUNNERS = /^fc\.(?:assert|check|sample|statistics|configureGlobal)$/;

/** Vendor names that are also names of a protocol, or that occur in texts of models. */
const NAMES_IN_PLACE: readonly { readonly name: string; readonly places: readonly string[] }[] = [
  {
    name: 'ollama',
    places: [
      ...['wire', 'repair'].map((folder) => `src/${folder}/ollama/`),
      ...['src/wire/registry.', 'src/wire.ts', 'src/repair/repair-stream.ts', 'src/repair/foreign-protocol.ts'],
    ],
  },
  { name: 'openai', places: ['src/wire/responses/client.ts'] },
  // Names of headers.
  { name: 'anthropic', places: ['src/wire/messages/client.ts', 'src/wire/messages/edge.'] },
  { name: 'minimax', places: ['src/repair/text/dialects/parts/product-tokens.ts'] },
];

/** Rules about how code is written. */
export const conventionRules: readonly Rule[] = [
  {
    name: 'no file has a default export',
    check: (tree) =>
      tree.files.filter((file) => isCode(file) && !DEFAULT_EXPORTERS.includes(file.path)).flatMap(defaultExports),
    broken: {
      files: {
        'src/base/a.ts': 'const a = 1;\nexport default a;',
        'src/base/b.ts': 'export default function b() {}',
        'src/base/c.ts': `export { c as default } from './d.ts';`,
        'src/globals.d.ts': `declare module '*.md' {\n  const text: string;\n  export default text;\n}`,
        'test/harness/summary-reporter.ts': 'export default class {}',
      },
      gives: [
        'src/base/a.ts:2: a default export has no name of its own',
        'src/base/b.ts:1: a default export has no name of its own',
        'src/base/c.ts:1: a default export has no name of its own',
      ],
    },
  },
  {
    // V8 makes a hidden class for each such object. It is an old object at once, so the getter and all that it can reach
    // stay in memory until V8 collects old objects.
    name: 'no object that is made for an exchange has a getter of its own',
    check: (tree) => tree.files.filter(({ path }) => EXCHANGE.test(path)).flatMap(literalGetters),
    broken: {
      files: {
        'src/wire/a.ts': 'function f() {\n  return {\n    get a() {\n      return 1;\n    },\n  };\n}',
        'src/repair/b.ts': 'class B {\n  get b() {\n    return 1;\n  }\n}\nconst c = { get d() { return 1; } };',
        'src/tui/c.ts': 'const f = () => ({ get a() { return 1; } });',
      },
      gives: ['src/wire/a.ts:3: an object of a function has a getter; use a method, a field or a class'],
    },
  },
  {
    name: 'no type is any',
    check: (tree) => tree.files.filter(isCode).flatMap(anyTypes),
    broken: {
      files: { 'src/base/a.ts': `// any comment\nconst any = 'any';\nlet x: any[];\nf(y as any);` },
      gives: ['src/base/a.ts:3: any is not a type, unknown is', 'src/base/a.ts:4: any is not a type, unknown is'],
    },
  },
  {
    name: `at most ${SILENCED_CAP} comments silence a checker`,
    check(tree) {
      const found = tree.files.filter(isCode).flatMap(silencingComments);
      return found.length > SILENCED_CAP ? found : [];
    },
    broken: {
      files: {
        'src/base/a.ts': `// @ts-expect-error\nf(1);\nf(2); // biome-ignore lint: x\n/* @ts-ignore */ f('// biome-ignore');`,
        'src/base/b.test.ts': 'function f() {\n  // eslint-disable-next-line\n}',
      },
      gives: [
        'src/base/a.ts:1: // @ts-expect-error',
        'src/base/a.ts:3: // biome-ignore lint: x',
        'src/base/a.ts:4: /* @ts-ignore */',
        'src/base/b.test.ts:2: // eslint-disable-next-line',
      ],
    },
  },
  {
    name: 'no property runs with a fixed seed',
    check: (tree) => tree.files.filter(isCode).flatMap(fixedSeeds),
    broken: {
      files: {
        'src/wire/a.test.ts': `import fc from 'fast-check';\nfc.assert(p, { numRuns: 9, seed: 7 });\nencode({ seed: 1 });`,
        'test/shell/b.test.ts': `const some = fc.sample(scripts, { 'seed': 7 });\nconst options = { seed };\nfc.check(p, { seed });`,
      },
      gives: [
        'src/wire/a.test.ts:2: a fixed seed hides what the property would find',
        'test/shell/b.test.ts:1: a fixed seed hides what the property would find',
        'test/shell/b.test.ts:3: a fixed seed hides what the property would find',
      ],
    },
  },
  {
    name: 'the code of wire/ names no vendor',
    check: (tree) =>
      tree.files.filter(({ path }) => /^src\/(wire|adapt|repair)\/.*\.(ts|md)$/.test(path)).flatMap(vendors),
    broken: {
      files: {
        'src/wire/chat/decode.ts': `// GLM says stop.\nconst deepSeekQuirk = 1; // and so does Kimi\n/* Or\n * Qwen */`,
        'src/wire/groq/index.ts': '',
        'src/wire/ollama/index.ts': `export const ollama = openAi;`,
        'src/wire.ts': `const ollama = () => import('./ollama/index.ts');`,
        'src/wire/messages/a.ts': 'const likeOllama = coherent;',
        'src/model/providers.ts': '// openai',
      },
      gives: [
        'src/wire/chat/decode.ts:2: names the vendor deepSeek',
        'src/wire/groq/index.ts: names the vendor groq',
        'src/wire/ollama/index.ts:1: names the vendor openAi',
        'src/wire/messages/a.ts:1: names the vendor Ollama',
      ],
    },
  },
];

function defaultExports(file: SourceFile): string[] {
  return syntaxOf(file)
    .statements.filter(isDefaultExport)
    .map((node) => `${at(file, node)}: a default export has no name of its own`);
}

function isDefaultExport(node: ts.Statement): boolean {
  if (ts.isExportAssignment(node)) return true;
  if (ts.isExportDeclaration(node)) {
    const names = node.exportClause;
    return (
      names !== undefined && ts.isNamedExports(names) && names.elements.some(({ name }) => name.text === 'default')
    );
  }
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) ?? false;
}

function literalGetters(file: SourceFile): readonly string[] {
  const found: string[] = [];
  walk(syntaxOf(file), (node) => {
    if (!ts.isGetAccessorDeclaration(node) || !ts.isObjectLiteralExpression(node.parent)) return;
    if (ts.findAncestor(node.parent, ts.isFunctionLike) === undefined) return;
    found.push(`${at(file, node)}: an object of a function has a getter; use a method, a field or a class`);
  });
  return found;
}

function anyTypes(file: SourceFile): string[] {
  const found: string[] = [];
  walk(syntaxOf(file), (node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) found.push(`${at(file, node)}: any is not a type, unknown is`);
  });
  return found;
}

/** Returns the seeds among the settings of a property. A field of a test request may have the same name. */
function fixedSeeds(file: SourceFile): string[] {
  const found: string[] = [];
  walk(syntaxOf(file), (node) => {
    if (!ts.isCallExpression(node) || !RUNNERS.test(node.expression.getText())) return;
    const settings = node.arguments.at(-1);
    const isSeed = ({ name }: ts.ObjectLiteralElementLike) =>
      name !== undefined && /^['"]?seed['"]?$/.test(name.getText());
    if (settings === undefined || !ts.isObjectLiteralExpression(settings)) return;
    const seed = settings.properties.find(isSeed);
    if (seed !== undefined) found.push(`${at(file, seed)}: a fixed seed hides what the property would find`);
  });
  return found;
}

function silencingComments(file: SourceFile): string[] {
  if (!SILENCED.test(file.text)) return [];
  const syntax = syntaxOf(file);
  return commentsOf(syntax)
    .filter(({ pos, end }) => SILENCED.test(file.text.slice(pos, end)))
    .map(({ pos, end }) => {
      const { line } = syntax.getLineAndCharacterOfPosition(pos);
      return `${file.path}:${line + 1}: ${file.text.slice(pos, end)}`;
    });
}

/** Returns every comment once, in order. Comments belong to tokens, which only `getChildren` returns completely. */
function commentsOf(syntax: ts.SourceFile): ts.CommentRange[] {
  const found = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node): void => {
    const before = ts.getLeadingCommentRanges(syntax.text, node.getFullStart()) ?? [];
    const after = ts.getTrailingCommentRanges(syntax.text, node.getEnd()) ?? [];
    for (const range of [...before, ...after]) found.set(range.pos, range);
    for (const child of node.getChildren(syntax)) visit(child);
  };
  visit(syntax);
  return [...found.values()].sort((a, b) => a.pos - b.pos);
}

/** Returns the text with blanks instead of comments, which may name the vendor of a format. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/gm, (comment) => comment.replace(/[^\n]/g, ' '));
}

function vendors({ path, text }: SourceFile): string[] {
  const exempt = NAMES_IN_PLACE.filter(({ places }) => places.some((place) => path.startsWith(place)));
  const namesIn = (part: string) =>
    [...part.matchAll(VENDOR)].filter(([found]) => !exempt.some(({ name }) => name === found.toLowerCase()));
  const inPath = namesIn(path).map(([found]) => `${path}: names the vendor ${found}`);
  const inText = withoutComments(text)
    .split('\n')
    .flatMap((line, index) => namesIn(line).map(([found]) => `${path}:${index + 1}: names the vendor ${found}`));
  return [...inPath, ...inText];
}
