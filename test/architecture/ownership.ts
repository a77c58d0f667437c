import ts from 'typescript';
import { importsOf } from './imports.ts';
import { at, folderOf, isCode, isTest, type Rule, type SourceFile, syntaxOf, walk } from './source.ts';

/** The folders of `src/` that may use the outside world. Tests may use what they need. */
const OWNERS: readonly { readonly uses: readonly string[]; readonly by: readonly string[] }[] = [
  { uses: ['node:https', 'node:http2', 'node:tls'], by: ['model', 'gateway', 'testing'] },
  // exec has the proxy that commands reach the network through, auth and mcp-client the address that a sign-in returns to.
  {
    uses: ['node:http'],
    by: ['node-internals', 'model', 'exec', 'auth', 'mcp-client', 'gateway', 'mcp-server', 'testing'],
  },
  // exec has pipes, which are sockets to Node.
  {
    uses: ['node:net'],
    by: ['node-internals', 'model', 'exec', 'auth', 'mcp-client', 'gateway', 'mcp-server', 'testing'],
  },
  { uses: ['node:child_process'], by: ['exec', 'testing'] },
  {
    uses: ['node:fs'],
    by: ['node-internals', 'machine', 'config', 'store', 'exec', 'prompt', 'auth', 'cli', 'testing'],
  },
  { uses: ['process.env'], by: ['config', 'cli'] },
  { uses: ['console', 'process.stdout', 'process.stderr'], by: ['cli'] },
  // It loads a second HTTP client, which costs more than the rest of a start. The SDK of MCP has no other way.
  { uses: ['fetch'], by: ['mcp-client'] },
];

/** Files that choose among modules which are loaded when needed, and folders (with a slash) of such files. */
const LAZY_IMPORTERS = [
  'src/mcp-client/connect/load-sdk.ts',
  'src/node-internals/load-pty-binding.ts',
  'src/tools/registry.ts',
  'src/tools/view-image/load-sharp.ts',
  'src/wire/registry.ts',
  'src/testing/test-agent.ts',
  'src/auth/',
  'src/model/',
  'src/cli/',
  'src/tui/',
  'src/app/',
];

/** Rules about the folders that may use something. */
export const ownershipRules: readonly Rule[] = [
  {
    name: 'network, processes, files, environment and output belong to the folders that own them',
    check: (tree) => tree.files.filter((file) => isCode(file) && !isTest(file)).flatMap(trespasses),
    broken: {
      files: {
        'src/tools/a.ts': `import { readFile } from 'node:fs/promises';\nimport fs from 'fs';\nimport { join } from 'node:path';`,
        'src/engine/b.ts': `import { spawn } from 'node:child_process';\nimport type { Server } from 'node:http';`,
        'src/app/c.ts': `const key = process.env.KEY;\nconst { env } = process;\nconst e = process['env'];\nprocess.on('x', f);`,
        'src/model/d.ts': `import http from 'node:http';\nconsole.log('x');\nprocess.stderr.write('x');\nglobalThis.console.error('x');`,
        'src/gateway/e.ts': `await fetch('http://x');\nconst f = globalThis.fetch;\noptions.fetch(f);`,
        'src/exec/f.ts': `import { env } from 'node:process';\nimport { spawn } from 'node:child_process';`,
        'src/exec/g.test.ts': `import { createServer } from 'node:http';\nprocess.env.X = 'y';`,
        'src/cli/main.ts': `console.log(process.env.HOME);`,
      },
      gives: [
        'src/tools/a.ts:1: node:fs belongs to node-internals, machine, config, store, exec, prompt, auth, cli, testing',
        'src/tools/a.ts:2: node:fs belongs to node-internals, machine, config, store, exec, prompt, auth, cli, testing',
        'src/engine/b.ts:1: node:child_process belongs to exec, testing',
        'src/engine/b.ts:2: node:http belongs to node-internals, model, exec, auth, mcp-client, gateway, mcp-server, testing',
        'src/app/c.ts:1: process.env belongs to config, cli',
        'src/app/c.ts:2: process.env belongs to config, cli',
        'src/app/c.ts:3: process.env belongs to config, cli',
        'src/model/d.ts:2: console belongs to cli',
        'src/model/d.ts:3: process.stderr belongs to cli',
        'src/model/d.ts:4: console belongs to cli',
        'src/gateway/e.ts:1: fetch belongs to mcp-client',
        'src/gateway/e.ts:2: fetch belongs to mcp-client',
        'src/exec/f.ts:1: process.env belongs to config, cli',
      ],
    },
  },
  {
    name: 'base/ does not know Node',
    check: (tree) =>
      tree.files
        .filter((file) => isCode(file) && !isTest(file) && folderOf(file.path) === 'base')
        .flatMap((file) => usesOf(file).filter(({ what }) => /^(node:|process)/.test(what)))
        .map((use) => `${use.at}: base/ may not use ${use.what}`),
    broken: {
      files: {
        'src/base/a.ts': `import { join } from 'node:path';\nprocess.exit(1);`,
        'src/base/b.ts': `import './a.ts';`,
      },
      gives: ['src/base/a.ts:1: base/ may not use node:path', 'src/base/a.ts:2: base/ may not use process.exit'],
    },
  },
  {
    name: 'import() stands only where a module is chosen when it is needed',
    check: (tree) => tree.files.filter((file) => file.path.startsWith('src/') && !isTest(file)).flatMap(lazyImports),
    broken: {
      files: {
        'src/wire/registry.ts': `const chat = () => import('./chat/index.ts');`,
        'src/wire/chat/index.ts': `const other = () => import('./other.ts');`,
        'src/cli/main.ts': `const exec = () => import(name);`,
        'src/engine/turn/turn.ts': `const other = () => import(name);`,
      },
      gives: [
        'src/wire/chat/index.ts:1: import() is for registries (./other.ts)',
        'src/engine/turn/turn.ts:1: import() is for registries (name)',
      ],
    },
  },
];

interface Use {
  readonly at: string;
  readonly what: string;
}

function trespasses(file: SourceFile): string[] {
  if (!file.path.startsWith('src/')) return [];
  const folder = folderOf(file.path) ?? '';
  return usesOf(file).flatMap((use) => {
    const owner = OWNERS.find(({ uses }) => uses.includes(use.what));
    if (owner === undefined || owner.by.includes(folder)) return [];
    return [`${use.at}: ${use.what} belongs to ${owner.by.join(', ') || 'nobody'}`];
  });
}

function usesOf(file: SourceFile): Use[] {
  const uses: Use[] = [];
  walk(syntaxOf(file), (node) => {
    const names = ts.isIdentifier(node) && isReference(node) ? globalsAt(node) : [];
    uses.push(...names.map((what) => ({ at: at(file, node), what })));
    if (ts.isImportDeclaration(node)) uses.push(...modulesAt(node).map((what) => ({ at: at(file, node), what })));
  });
  const lazy = importsOf(file).filter(({ kind }) => kind === 'lazy');
  return [...uses, ...lazy.map((edge) => ({ at: edge.at, what: moduleName(edge.specifier) ?? '' }))];
}

const BARE_BUILT_IN = /^(http|https|http2|net|tls|child_process|fs|process|path|os|crypto)(\/|$)/;

/** Returns the name of a Node module: `fs/promises` → `node:fs`. Undefined for any other module. */
function moduleName(specifier: string): string | undefined {
  const name = BARE_BUILT_IN.test(specifier) ? `node:${specifier}` : specifier;
  return name.startsWith('node:') ? name.split('/')[0] : undefined;
}

function modulesAt(node: ts.ImportDeclaration): string[] {
  const name = ts.isStringLiteral(node.moduleSpecifier) ? moduleName(node.moduleSpecifier.text) : undefined;
  if (name === undefined) return [];
  if (name !== 'node:process') return [name];
  const names = node.importClause?.namedBindings;
  // A default import of the process has every member.
  if (names === undefined || !ts.isNamedImports(names)) return ['process.env', 'process.stdout'];
  return names.elements.map((element) => `process.${(element.propertyName ?? element.name).text}`);
}

/** Returns the uses of a global name: the name itself, or the members of `process`. */
function globalsAt(node: ts.Identifier): string[] {
  if (node.text === 'console' || node.text === 'fetch') return [node.text];
  if (node.text !== 'process') return [];
  const whole = isMemberOfGlobal(node) ? node.parent : node;
  const { parent } = whole;
  if (ts.isPropertyAccessExpression(parent)) return [`process.${parent.name.text}`];
  if (ts.isElementAccessExpression(parent)) return [`process.${literalText(parent.argumentExpression)}`];
  if (!ts.isVariableDeclaration(parent) || !ts.isObjectBindingPattern(parent.name)) return ['process'];
  return parent.name.elements.map((element) => `process.${(element.propertyName ?? element.name).getText()}`);
}

const literalText = (node: ts.Node) => (ts.isStringLiteralLike(node) ? node.text : node.getText());

const isMemberOfGlobal = (node: ts.Identifier) =>
  ts.isPropertyAccessExpression(node.parent) &&
  node.parent.name === node &&
  ['globalThis', 'global'].includes(node.parent.expression.getText());

/** Reports whether a name stands for a value, rather than naming a member, a type or something new. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (isMemberOfGlobal(node) || ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isTypeNode(parent) || ts.isQualifiedName(parent)) return false;
  return !('name' in parent && parent.name === node) && !('propertyName' in parent && parent.propertyName === node);
}

function lazyImports(file: SourceFile): string[] {
  const allowed = LAZY_IMPORTERS.some((place) =>
    place.endsWith('/') ? file.path.startsWith(place) : file.path === place,
  );
  if (allowed || !isCode(file)) return [];
  return importsOf(file)
    .filter(({ kind }) => kind === 'lazy')
    .map((edge) => `${edge.at}: import() is for registries (${edge.specifier})`);
}
