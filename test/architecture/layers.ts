import { type Import, importsOf } from './imports.ts';
import { folderOf, isCode, isTest, type Rule, type SourceFile, type Tree } from './source.ts';

interface Layer {
  readonly layer: number;
  readonly may: readonly string[];
  /** Only types. */
  readonly types?: readonly string[];
  /** Only by `import()`. */
  readonly lazily?: readonly string[];
}

const BELOW_APP =
  'base log wire cassette patch shell config store events policy auth model exec prompt tools mcp-client engine'.split(
    ' ',
  );

/** Who may import whom. A folder may always import itself. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  base: { layer: 0, may: [] },
  log: { layer: 1, may: ['base'] },
  wire: { layer: 1, may: ['base'] },
  cassette: { layer: 1, may: ['base'] },
  patch: { layer: 1, may: ['base'] },
  shell: { layer: 1, may: ['base'] },
  config: { layer: 1, may: ['base'] },
  store: { layer: 2, may: ['base', 'log'] },
  events: { layer: 2, may: ['base', 'shell'] },
  policy: { layer: 2, may: ['base', 'shell'] },
  auth: { layer: 2, may: ['base'], types: ['config'] },
  model: { layer: 2, may: ['base', 'wire', 'cassette'] },
  exec: { layer: 2, may: ['base'] },
  prompt: { layer: 2, may: ['base'] },
  tools: { layer: 3, may: ['base', 'patch', 'shell'] },
  'mcp-client': { layer: 3, may: ['base'] },
  engine: { layer: 4, may: ['base', 'events', 'policy'] },
  app: { layer: 5, may: BELOW_APP },
  gateway: { layer: 6, may: ['base', 'wire', 'model', 'auth', 'config'] },
  'mcp-server': { layer: 6, may: ['base', 'app'] },
  tui: { layer: 6, may: ['base', 'app'] },
  testing: { layer: 6, may: ['base', 'wire', 'cassette', 'app'] },
  cli: {
    layer: 7,
    may: ['base', 'shell', 'config', 'events', 'app'],
    lazily: ['gateway', 'mcp-server', 'tui', 'testing'],
  },
};

/** What the files beside the folders may import. */
const ROOT_FILES: Readonly<Record<string, readonly string[]>> = {
  'src/index.ts': ['app', 'base'],
  'src/globals.d.ts': [],
};

/** Edges of a table that do not go down. Empty for the table above. */
export function upwardEdges(layers: Readonly<Record<string, Layer>>): string[] {
  return Object.entries(layers).flatMap(([folder, { layer, may, types = [], lazily = [] }]) =>
    [...may, ...types, ...lazily]
      .filter((to) => (layers[to]?.layer ?? Number.POSITIVE_INFINITY) >= layer)
      .map((to) => `${folder} → ${to}`),
  );
}

/** The files of store/ that app/ may know. Threads are reached through stores alone: other files would be one kind of store. */
const STORE_DOORS = [
  ...['rollout-store', 'memory-store', 'memory-log', 'catalogue/rollout-catalogue', 'catalogue/rollout-places'],
  ...['cassette-file', 'known-wires', 'log-file', 'rules-file', 'rules-paths'].map((name) => `files/${name}`),
].map((path) => `src/store/${path}.ts`);

export const layerRules: readonly Rule[] = [
  {
    name: 'app/ reaches threads through stores alone',
    check: (tree) =>
      tree.files
        .filter((file) => isCode(file) && !isTest(file) && folderOf(file.path) === 'app')
        .flatMap(importsOf)
        .filter(({ target }) => target?.startsWith('src/store/') && !STORE_DOORS.includes(target))
        .map(({ at, specifier }) => `${at}: app may not import ${specifier}`),
    broken: {
      files: {
        'src/app/threads/usage.ts': `import { readMeta } from '../../store/catalogue/read-meta.ts';\nimport { openLogFile } from '../../store/files/log-file.ts';`,
        'src/app/threads/usage.test.ts': `import { readMeta } from '../../store/catalogue/read-meta.ts';`,
      },
      gives: ['src/app/threads/usage.ts:1: app may not import ../../store/catalogue/read-meta.ts'],
    },
  },
  {
    name: 'a file imports only what the table of layers allows',
    check: (tree) => tree.files.filter((file) => isCode(file) && !isTest(file)).flatMap(forbiddenImports),
    broken: {
      files: {
        'src/base/item.ts': `import { x } from '../wire/index.ts';`,
        'src/store/rollout.ts': `import { c } from '../config/load.ts';\nimport type { I } from '../base/item.ts';`,
        'src/auth/key.ts': `import { load } from '../config/load.ts';\nimport type { Config } from '../config/load.ts';`,
        'src/cli/commands/tui.ts': `import { show } from '../../tui/show.ts';\nconst lazy = () => import('../../tui/show.ts');`,
        'src/gateway/server/serve.ts': `export { runTurn } from '../../engine/turn/turn.ts';`,
        'src/engine/turn/turn.ts': `type Agent = import('../../app/agent.ts').Agent;`,
        'src/exec/run.ts': `import { y } from '../../test/harness/y.ts';\nimport { z } from '../index.ts';`,
        'src/index.ts': `export { x } from './app/agent.ts';\nexport { y } from './engine/turn.ts';`,
        'src/engine/turn.test.ts': `import { createAgent } from '../app/agent.ts';`,
      },
      gives: [
        'src/base/item.ts:1: base may not import wire (../wire/index.ts)',
        'src/store/rollout.ts:1: store may not import config (../config/load.ts)',
        'src/auth/key.ts:1: auth may import only types of config (../config/load.ts)',
        'src/cli/commands/tui.ts:1: cli may import tui only by import() (../../tui/show.ts)',
        'src/gateway/server/serve.ts:1: gateway may not import engine (../../engine/turn/turn.ts)',
        'src/engine/turn/turn.ts:1: engine may not import app (../../app/agent.ts)',
        'src/exec/run.ts:1: exec may not import test/harness/y.ts (../../test/harness/y.ts)',
        'src/exec/run.ts:2: exec may not import src/index.ts (../index.ts)',
        'src/index.ts:2: src/index.ts may not import engine (./engine/turn.ts)',
      ],
    },
  },
  {
    name: 'every folder and file of src/ is in the table of layers',
    check: unknownPlaces,
    broken: {
      files: { 'src/extras/a.ts': '', 'src/start.ts': '', 'src/base/item.ts': '', 'src/globals.d.ts': '' },
      gives: [
        'src/extras/a.ts: the folder extras is not in the table of layers',
        'src/start.ts: only src/index.ts, src/globals.d.ts may lie beside the folders',
      ],
    },
  },
];

function forbiddenImports(file: SourceFile): string[] {
  const from = folderOf(file.path);
  const layer = from === undefined ? { layer: 8, may: ROOT_FILES[file.path] ?? [] } : LAYERS[from];
  if (layer === undefined || !file.path.startsWith('src/')) return [];
  return importsOf(file).flatMap((edge) => {
    const why = edge.target === undefined ? undefined : verdict(layer, from, edge, edge.target);
    return why === undefined ? [] : [`${edge.at}: ${from ?? file.path} ${why} (${edge.specifier})`];
  });
}

function verdict(layer: Layer, from: string | undefined, edge: Import, target: string): string | undefined {
  const to = folderOf(target);
  if (to === undefined) return `may not import ${target}`;
  if (to === from || layer.may.includes(to)) return undefined;
  if (layer.types?.includes(to)) return edge.kind === 'type' ? undefined : `may import only types of ${to}`;
  if (layer.lazily?.includes(to)) return edge.kind === 'lazy' ? undefined : `may import ${to} only by import()`;
  return `may not import ${to}`;
}

function unknownPlaces(tree: Tree): string[] {
  const known = Object.keys(ROOT_FILES);
  return tree.files.flatMap(({ path }) => {
    if (!path.startsWith('src/') || known.includes(path)) return [];
    const folder = folderOf(path);
    if (folder === undefined) return [`${path}: only ${known.join(', ')} may lie beside the folders`];
    return folder in LAYERS ? [] : [`${path}: the folder ${folder} is not in the table of layers`];
  });
}
