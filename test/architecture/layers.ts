import { type Import, importsOf } from './imports.ts';
import { folderOf, isCode, isFixture, isTest, type Rule, type SourceFile, type Tree } from './source.ts';

interface Layer {
  readonly may: readonly string[];
  /** Only types. */
  readonly types?: readonly string[];
  /** Only by `import()`. */
  readonly lazily?: readonly string[];
}

/** The parts of wire/ that know no wire. The rules of adapt/ stand on them, and the wires on those. */
const BELOW_WIRES = ['fields', 'framing', 'lowering', 'opaque'].map((room) => `wire/${room}`);

const BELOW_APP =
  'base node-internals log wire adapt repair cassette patch shell config store events policy auth model probe exec prompt tools mcp-client engine'.split(
    ' ',
  );

/**
 * The layers, lowest first: the folders that a folder may import, each of which stands above it in this table. A folder may
 * always import itself. The longest name that fits a file is its row.
 */
export const LAYERS: Readonly<Record<string, Layer>> = {
  base: { may: [] },
  'node-internals': { may: ['base'] },
  machine: { may: ['base'] },
  ...Object.fromEntries(BELOW_WIRES.map((folder, row) => [folder, { may: ['base', ...BELOW_WIRES.slice(0, row)] }])),
  adapt: { may: ['base', ...BELOW_WIRES] },
  wire: { may: ['base', ...BELOW_WIRES, 'adapt'] },
  repair: { may: ['base', 'wire'] },
  log: { may: ['base'] },
  cassette: { may: ['base'] },
  patch: { may: ['base'] },
  shell: { may: ['base'] },
  text: { may: ['base'] },
  markdown: { may: ['base', 'text'] },
  config: { may: ['base'] },
  store: { may: ['base', 'node-internals', 'machine', 'log'] },
  events: { may: ['base', 'shell'] },
  policy: { may: ['base', 'shell'] },
  model: { may: ['base', 'node-internals', 'wire', 'adapt', 'repair', 'cassette'] },
  probe: { may: ['base', 'wire', 'adapt', 'repair', 'model'] },
  exec: { may: ['base', 'node-internals', 'machine'] },
  // The lock of store/ lets one process at a time refresh a token. Some keys are printed by programs of the user.
  auth: { may: ['base', 'store'], types: ['config'], lazily: ['exec'] },
  prompt: { may: ['base'] },
  tools: { may: ['base', 'patch', 'shell'] },
  'mcp-client': { may: ['base'] },
  engine: { may: ['base', 'events', 'policy'] },
  app: { may: BELOW_APP },
  adapters: { may: ['base', 'shell', 'config', 'wire', 'model', 'exec'] },
  gateway: { may: ['base', 'node-internals', 'wire', 'adapt', 'repair', 'model', 'auth', 'config'] },
  'mcp-server': { may: ['base', 'patch', 'shell', 'auth', 'app'] },
  tui: { may: ['base', 'patch', 'shell', 'text', 'markdown', 'config', 'events', 'app'] },
  testing: { may: ['base', 'wire', 'adapt', 'repair', 'cassette', 'app'], types: ['src/index.ts'] },
  cli: {
    may: ['base', 'node-internals', 'patch', 'shell', 'text', 'config', 'events', 'app'],
    lazily: ['markdown', 'gateway', 'mcp-server', 'tui', 'testing'],
  },
};

/**
 * The rooms of a folder, lowest first. A room may import the ones before it, and `.` stands for the files outside the rooms.
 * Types outside the rooms are for all of them. A room that is not in the table stands with the files outside the rooms.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  wire: ['fields', 'framing', 'lowering', 'opaque', 'edge', 'chat', 'messages', 'responses', 'ollama', '.'],
  config: ['setting', 'tables', '.'],
  exec: 'process terminal output sandbox network pty supervisor start git files snapshot environment .'.split(' '),
  store: ['lock', 'lines', 'catalogue', 'files', '.'],
  engine: ['state', 'calls', 'request', 'compact', 'turn', '.', 'replay'],
  app: ['options', 'log', 'thread', 'threads', 'tools', '.', 'commands', 'codex-sdk'],
  gateway: ['server', 'exchange', 'routes', '.'],
};

/** The files outside the folders, which are entries of the package, and what they may import. */
const ROOT_FILES: Readonly<Record<string, readonly string[]>> = {
  'src/index.ts': ['app', 'base'],
  'src/wire.ts': ['base', 'wire', 'repair'],
  'src/globals.d.ts': [],
};

/** Returns the edges of a table that lead to no row above their own. Empty for the table above. */
export function upwardEdges(layers: Readonly<Record<string, Layer>>): string[] {
  const order = Object.keys(layers);
  return Object.entries(layers).flatMap(([folder, { may, types = [], lazily = [] }], row) =>
    [...may, ...types, ...lazily]
      .filter((to) => !order.slice(0, row).includes(to) && !(to in ROOT_FILES))
      .map((to) => `${folder} → ${to}`),
  );
}

/** The files of store/ that app/ may know. Threads are reached through stores alone: other files would be one kind of store. */
const STORE_DOORS = [
  ...['rollout-store', 'memory-store', 'memory-log', 'catalogue/rollout-catalogue', 'catalogue/rollout-locator'],
  ...[
    'cassette-file',
    'credentials-file',
    'drafts',
    'kept-outputs',
    'known-wires',
    'log-file',
    'rules-file',
    'rules-paths',
    'running-gateways',
    'prompt-history',
    'seen-limits',
  ].map((name) => `files/${name}`),
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
    check: (tree) =>
      tree.files.filter((file) => isCode(file) && !isTest(file) && !isFixture(file)).flatMap(forbiddenImports),
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
    name: 'a room of a folder imports only the rooms below it',
    check: (tree) =>
      tree.files.filter((file) => isCode(file) && !isTest(file) && !isFixture(file)).flatMap(forbiddenRooms),
    broken: {
      files: {
        'src/engine/state/fold.ts': `import { ask } from '../request/ask.ts';\nimport type { Turn } from '../turn-setup.ts';`,
        'src/engine/request/ask.ts': `import { fold } from '../state/fold.ts';\nimport { open } from '../thread.ts';`,
        'src/engine/state/fold.test.ts': `import { ask } from '../request/ask.ts';`,
        'src/wire/framing/sse.ts': `import { chat } from '../chat/wire.ts';`,
        'src/wire/morse/wire.ts': `import { chat } from '../chat/wire.ts';`,
        'src/wire/chat/wire.ts': `import { morse } from '../morse/wire.ts';`,
      },
      gives: [
        'src/engine/state/fold.ts:1: engine/state may not import engine/request (../request/ask.ts)',
        'src/engine/request/ask.ts:2: engine/request may not import engine/. (../thread.ts)',
        'src/wire/framing/sse.ts:1: wire/framing may not import wire/chat (../chat/wire.ts)',
        'src/wire/chat/wire.ts:1: wire/chat may not import wire/morse (../morse/wire.ts)',
      ],
    },
  },
  {
    name: 'every folder and file of src/ is in the table of layers',
    check: unknownPlaces,
    broken: {
      files: {
        'src/extras/a.ts': '',
        'src/start.ts': '',
        'src/base/item.ts': '',
        'src/globals.d.ts': '',
      },
      gives: [
        'src/extras/a.ts: the folder extras is not in the table of layers',
        'src/start.ts: only src/index.ts, src/wire.ts, src/globals.d.ts may lie beside the folders',
      ],
    },
  },
];

function forbiddenImports(file: SourceFile): string[] {
  const from = rowOf(file.path);
  const layer = from === undefined || from in ROOT_FILES ? { may: ROOT_FILES[file.path] ?? [] } : LAYERS[from];
  if (layer === undefined || !file.path.startsWith('src/')) return [];
  return importsOf(file).flatMap((edge) => {
    const why = edge.target === undefined ? undefined : verdict(layer, from, edge, edge.target);
    return why === undefined ? [] : [`${edge.at}: ${from ?? file.path} ${why} (${edge.specifier})`];
  });
}

function verdict(layer: Layer, from: string | undefined, edge: Import, target: string): string | undefined {
  const to = rowOf(target);
  if (to === undefined) return `may not import ${target}`;
  const isIn = (folders: readonly string[] = []) => folders.some((folder) => `${to}/`.startsWith(`${folder}/`));
  if (to === from || isIn(layer.may)) return undefined;
  if (isIn(layer.types)) return edge.kind === 'type' ? undefined : `may import only types of ${to}`;
  // Types are gone when the program runs.
  if (isIn(layer.lazily)) return edge.kind === 'value' ? `may import ${to} only by import()` : undefined;
  return `may not import ${to}`;
}

/** Returns the row of the table that a file of `src/` belongs to, or its folder where there is none. An entry is its own row. */
function rowOf(path: string): string | undefined {
  const folder = folderOf(path);
  const inner = path.split('/').slice(1, 3).join('/');
  if (path in ROOT_FILES) return path;
  return inner in LAYERS ? inner : folder;
}

function forbiddenRooms(file: SourceFile): string[] {
  const folder = folderOf(file.path) ?? '';
  const rooms = ROOMS[folder];
  if (rooms === undefined) return [];
  const room = roomOf(file.path);
  const levelOf = (name: string) => rooms.indexOf(rooms.includes(name) ? name : '.');
  return importsOf(file).flatMap(({ at, specifier, target = '', kind }) => {
    if (folderOf(target) !== folder) return [];
    const to = roomOf(target);
    const isTypeBeside = to === '.' && kind === 'type';
    return isTypeBeside || levelOf(to) <= levelOf(room)
      ? []
      : [`${at}: ${folder}/${room} may not import ${folder}/${to} (${specifier})`];
  });
}

/** Returns the folder below the folder of `src/` that a file lies in, or `.` for a file outside those. */
function roomOf(path: string): string {
  const [, , room = '', ...rest] = path.split('/');
  return rest.length === 0 ? '.' : room;
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
