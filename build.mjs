// Builds dist/: the library as ES modules, the program as CommonJS, and the type declarations.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import remapping from '@jridgewell/remapping';
import { build, transform } from 'esbuild';
import MagicString from 'magic-string';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Entries of the package: `oxbow` is index, `oxbow/wire` is wire, and so on. */
const ENTRIES = {
  index: 'src/index.ts',
  'codex-sdk': 'src/app/codex-sdk/index.ts',
  gateway: 'src/gateway/index.ts',
  adapters: 'src/adapters/index.ts',
  store: 'src/store/index.ts',
  wire: 'src/wire.ts',
  testing: 'src/testing/index.ts',
};

const options = {
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  loader: { '.md': 'text' },
  // Native code is installed for the machine and loaded when it is first needed.
  external: ['@lydell/node-pty', 'sharp'],
  define: { OXBOW_VERSION: JSON.stringify(version) },
  metafile: true,
  logLevel: 'warning',
};

/**
 * Builds the program as CommonJS. Each command is a bundle of its own next to `cli.js` and shares no file with the
 * library. Node loads ES modules asynchronously, one hop a level, and builds a namespace for each built-in module that
 * is imported. Each file that commands would share is one more file to load. Both would cost milliseconds at every
 * start (decision 6).
 */
async function buildProgram() {
  const entries = { cli: 'src/cli/main.ts', 'load-cached': 'src/node-internals/load-cached.ts' };
  const main = await buildApart(entries, '', SHORT_NAMES);
  const commands = await Promise.all([...main.apart].map(buildCommand));
  const files = new Map(commands.map(({ name, file }) => [name, file]));
  await Promise.all(Object.keys(main.metafile.outputs).map((path) => toCommonJs(path, SHORT_NAMES)));
  const cli = 'dist/program/cli.js';
  writeFileSync(cli, withFiles(readFileSync(cli, 'utf8'), files, '.'));
  writeFileSync('dist/program/package.json', '{"type":"commonjs"}\n');
  const metafiles = [main.metafile, ...commands.flatMap((command) => command.metafiles)];
  return { metafiles, files };
}

/** Files that name bundles of their own with `import()`. */
const NAMES_BUNDLES = /src\/cli\/(main|commands\/index|interactive)\.ts$/;

/** Bundles entries into a folder of the program. `apart` has the modules that are bundles of their own, by their names. */
async function buildApart(entryPoints, folder, more = {}) {
  const apart = new Map();
  const bundlesApart = {
    name: 'bundles-apart',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path, importer, resolveDir }) => {
        const name = basename(path, '.ts');
        if (kind !== 'dynamic-import' || !NAMES_BUNDLES.test(importer) || SHARES_BUNDLE.has(name)) return undefined;
        apart.set(name, join(resolveDir, path));
        return { path: `./${name}/`, external: true };
      });
    },
  };
  const outdir = join('dist/program', folder);
  const { metafile } = await build({ ...options, ...more, entryPoints, outdir, plugins: [bundlesApart] });
  return { apart, metafile };
}

/** Parts of the interactive terminal that its first frame needs: they stay with it. */
const SHARES_BUNDLE = new Set(['open-terminal', 'open-terminal-device']);

/** Names are short where the code is read before the first frame. Traces have long names elsewhere. */
const SHORT_NAMES = { minifyIdentifiers: true };

/** Options of bundles that differ from the others. The first frame needs all of its bundle, so that one is a single file. */
const OWN_OPTIONS = { interactive: { ...SHORT_NAMES, splitting: false } };

/** Builds a command, and first the bundles that the command names. Returns its file. */
async function buildCommand([name, source]) {
  const own = OWN_OPTIONS[name] ?? {};
  const { apart, metafile } = await buildApart({ [name]: source }, name, { entryNames: '[name]-[hash]', ...own });
  const inner = await Promise.all([...apart].map(buildCommand));
  const outputs = Object.keys(metafile.outputs);
  await Promise.all(outputs.map((path) => toCommonJs(path, own)));
  const files = new Map(inner.map((bundle) => [bundle.name, bundle.file]));
  for (const path of outputs) writeFileSync(path, withFiles(readFileSync(path, 'utf8'), files, name));
  const file = pack(metafile, entryOf(metafile, source));
  return { name, file, metafiles: [metafile, ...inner.flatMap((bundle) => bundle.metafiles)] };
}

/** Returns code that loads the bundles it names through the code cache. `folder` is the place of the code. */
function withFiles(code, files, folder) {
  const from = join('dist/program', folder);
  const cached = relative(from, 'dist/program/load-cached.js');
  const named = code.replace(
    /Promise\.resolve\(\)\.then\(\(\)=>[\w$]+\(require\("\.\/([\w-]+)\/"\)\)\)/g,
    (_, name) => {
      return `loadBundle(${JSON.stringify(relative(from, files.get(name)))})`;
    },
  );
  if (named === code) return code;
  const path = (name) => `require("node:path").join(__dirname,${name})`;
  return `const loadBundle=async name=>require(${path(JSON.stringify(cached))}).loadCached(${path('name')});${named}`;
}

/** Returns the entry of a command. Modules that are loaded later count as entries too. */
const entryOf = ({ outputs }, source) =>
  Object.keys(outputs).find((path) => resolve(outputs[path].entryPoint ?? '') === source);

/**
 * Packs the files of a command into two: one with the modules that it needs at once, one with the modules that it loads
 * later. A start then reads one file, however many modules are loaded later. Returns the path of the first file.
 */
function pack({ outputs }, entry) {
  const paths = Object.keys(outputs);
  const folder = dirname(entry);
  if (paths.length === 1) {
    const code = readFileSync(entry, 'utf8');
    rmSync(entry);
    return writeHashed(folder, basename(folder), code);
  }
  const needed = NEEDED_AT_ONCE[basename(folder)] ?? [];
  const first = new Set([entry]);
  for (const path of first) {
    for (const edge of outputs[path].imports) {
      const isNeeded = edge.kind === 'import-statement' || needed.includes(outputs[edge.path]?.entryPoint);
      if (isNeeded && edge.path in outputs) first.add(edge.path);
    }
  }
  const later = paths.filter((path) => !first.has(path));
  const find = HAS_CODE_CACHE.has(basename(folder)) ? findInWhole(folder, later) : findInSlices(folder, later);
  const code = `const parts=${partsOf([...first])},loaded={};
${find}
const load=name=>{
  if(loaded[name])return loaded[name].exports;
  if(!parts[name])findPart(name);
  const module=loaded[name]={exports:{}};
  parts[name](module.exports,requirePart,module,__dirname);
  return module.exports;
};
const requirePart=Object.assign(id=>id.startsWith(".")?load(id.slice(id.lastIndexOf("/")+1)):require(id),require);
module.exports=load("${basename(entry)}");`;
  for (const path of paths) rmSync(path);
  rmSync(join(folder, 'chunks'), { recursive: true });
  return writeHashed(folder, basename(folder), code);
}

/** Bundles whose compiled code is kept next to them. */
const HAS_CODE_CACHE = new Set(['exec', 'gateway', 'interactive', 'mcp-server', 'run-interactive']);

/**
 * Returns code that finds all parts that are loaded later in one file. With compiled code that is the fastest, and a
 * gateway may have no descriptor left when it needs another part.
 */
function findInWhole(folder, paths) {
  const file = writeHashed(folder, 'later', `module.exports=${partsOf(paths)};`);
  return `const findPart=()=>Object.assign(parts,require("./${basename(file)}"));`;
}

/**
 * Returns code that finds each part in its slice of one file. Without compiled code V8 reads every part that it gets,
 * and a command needs few of them: `threads list` takes half the processor time.
 */
function findInSlices(folder, paths) {
  let text = '';
  let line = 0;
  const slices = {};
  for (const path of paths) {
    const part = `(function(exports,require,module,__dirname){${ascii(readFileSync(path, 'utf8'))}})`;
    slices[basename(path)] = [text.length, text.length + part.length, line];
    text += `${part};\n`;
    line += part.split('\n').length;
  }
  const file = writeHashed(folder, 'later', text);
  return `const slices=${JSON.stringify(slices)};
let later;
const findPart=name=>{
  const filename=require("node:path").join(__dirname,"${basename(file)}"),[start,end,lineOffset]=slices[name];
  later??=require("node:fs").readFileSync(filename,"latin1");
  parts[name]=new(require("node:vm").Script)(later.slice(start,end),{filename,lineOffset}).runInThisContext();
};`;
}

/** Modules that the terminal loads by `import()` and that it needs for the first request nevertheless. */
const NEEDED_AT_ONCE = {
  'run-interactive': [
    'src/tui/start-session.ts',
    'src/store/files/kept-outputs.ts',
    'src/store/files/prompt-history.ts',
  ],
};

/** Returns the source of an object that has each file as a method, under the name of the file. */
const partsOf = (paths) =>
  `{${paths.map((path) => `"${basename(path)}"(exports,require,module){${readFileSync(path, 'utf8')}}`).join(',\n')}}`;

/**
 * Returns code in ASCII, which V8 keeps in half the memory and need not decode. esbuild leaves other characters only in
 * regular expressions, where an escape means the same.
 */
function ascii(code) {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Writes code to a file with a hash of the code in its name, so that a code cache is never used for other code. The file
 * is ASCII, as `loadCached` wants it. Returns the path.
 */
function writeHashed(folder, name, text) {
  const code = ascii(text);
  const path = join(folder, `${name}-${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`);
  writeFileSync(path, code);
  return path;
}

/** Runs one turn of `exec` against a scripted model. V8 compiles for this turn the code that every start needs. */
async function cacheCode(path) {
  await withModel(async ({ workspace, env }) => {
    const args = ['build-code-cache.cjs', resolve(path), 'run', '--json', '-C', workspace.path, 'hello'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'], env });
    await cached(child);
  });
}

/** Waits for the end of a program that writes its compiled code, and says if it has not. */
async function cached(child) {
  const [code] = await once(child, 'close');
  if (code !== 0) process.stderr.write('The code cache could not be made; the program starts a little slower.\n');
}

/** Does the same with the MCP server, whose client calls the agent once. */
async function cacheServerCode(path) {
  await withModel(async ({ workspace, env }) => {
    const args = [resolve('build-code-cache.cjs'), resolve(path), 'run'];
    const child = spawn(process.execPath, args, { cwd: workspace.path, stdio: ['pipe', 'pipe', 'ignore'], env });
    const limit = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'build', version } };
    const call = { name: 'codex', arguments: { prompt: 'hello' } };
    const lines = [
      { id: 1, method: 'initialize', params: client },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: call },
    ];
    for (const line of lines) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`);
    let answers = '';
    child.stdout.on('data', (data) => {
      answers += data;
      if (answers.includes('"id":2')) child.stdin.end();
    });
    await cached(child);
    clearTimeout(limit);
  });
}

/** Does the same with the gateway, whose client asks for an answer with a stream. */
async function cacheGatewayCode(path) {
  await withModel(async ({ workspace, env, model }) => {
    const args = [resolve('build-code-cache.cjs'), resolve(path), 'run', '--port', '0', '--upstream', model.url];
    const child = spawn(process.execPath, args, { cwd: workspace.path, stdio: ['ignore', 'ignore', 'pipe'], env });
    const limit = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const ended = cached(child);
    for await (const line of createInterface({ input: child.stderr })) {
      const [, url] = /listens on (\S+)/.exec(line) ?? [];
      if (url === undefined) continue;
      const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hello' }] });
      const headers = { 'content-type': 'application/json' };
      await (await fetch(`${url}/chat/completions`, { method: 'POST', headers, body })).text();
      child.kill('SIGTERM');
    }
    await ended;
    clearTimeout(limit);
  });
}

/** Does the same with the interactive terminal. Without a terminal to run it in, it starts a little slower. */
async function cacheTerminalCode(path) {
  const pty = await import('@lydell/node-pty').catch(() => undefined);
  if (pty === undefined) return;
  await withModel(async ({ workspace, env }) => {
    const args = [resolve('build-code-cache.cjs'), resolve(path), 'interactive', 'new', 'hello there'];
    const child = pty.spawn(process.execPath, args, { name: 'xterm-256color', cwd: workspace.path, env });
    const limit = setTimeout(() => child.kill('SIGKILL'), 20_000);
    let shown = '';
    child.onData((data) => {
      const before = shown.includes('all done');
      shown += data;
      if (!before && shown.includes('all done')) setTimeout(() => child.write('/quit\r'), 200);
    });
    await new Promise((ended) => child.onExit(ended));
    clearTimeout(limit);
  }).catch(() => undefined);
}

/** Runs work with a scripted model that asks for a command and then says that all is done. */
async function withModel(work) {
  const { startScriptedModel, reply, say, call, createWorkspace } = await import('./dist/testing.js');
  const model = await startScriptedModel([
    reply(call('exec_command', { cmd: 'true' })),
    reply(say('It is **all done**.')),
  ]);
  const workspace = createWorkspace();
  const provider = `model_provider = "s"\n[model_providers.s]\nbase_url = "${model.url}"\nwire_api = "responses"\n`;
  workspace.configure(`model = "m"\nsandbox_mode = "danger-full-access"\n${provider}`);
  const env = { PATH: process.env.PATH, HOME: workspace.home, OXBOW_HOME: workspace.home, TERM: 'xterm-256color' };
  try {
    await work({ workspace, env, model });
  } finally {
    await model.close();
    workspace.dispose();
  }
}

async function toCommonJs(path, { minifyIdentifiers = false }) {
  const { code } = await transform(readFileSync(path, 'utf8'), {
    format: 'cjs',
    platform: 'node',
    target: options.target,
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname' },
    minifySyntax: true,
    minifyWhitespace: true,
    minifyIdentifiers,
  });
  writeFileSync(path, code);
}

async function buildLibrary() {
  const late = { 'chunks/load-late': 'src/node-internals/load-late.ts' };
  const entryPoints = { ...ENTRIES, ...late };
  // The sources in the maps would add 3 MB to the package, and a stack needs only their lines.
  const maps = { sourcemap: 'linked', sourcesContent: false };
  const { metafile } = await build({ ...options, ...maps, entryPoints, outdir: 'dist' });
  for (const path of Object.keys(metafile.outputs)) if (path.endsWith('.js')) loadLate(path);
  return metafile;
}

/** Puts each import of a part that is loaded later into a call of `loadLate`, and shifts the source map accordingly. */
function loadLate(path) {
  const code = new MagicString(readFileSync(path, 'utf8'));
  code.replaceAll(/\bimport\(("\.[^"]+")\)/g, '__loadLate($1,()=>import($1))');
  if (!code.hasChanged()) return;
  const from = `./${relative(dirname(path), 'dist/chunks/load-late.js')}`;
  code.prepend(`import{loadLate as __loadLate}from"${from}";`);
  writeFileSync(path, code.toString());
  const map = readFileSync(`${path}.map`, 'utf8');
  writeFileSync(`${path}.map`, remapping([code.generateMap({ hires: 'boundary' }), map], () => null).toString());
}

rmSync('dist', { recursive: true, force: true });
const program = await buildProgram();
const metafiles = [...program.metafiles, await buildLibrary()];
await cacheCode(program.files.get('exec'));
await cacheTerminalCode(program.files.get('interactive'));
await cacheServerCode(program.files.get('mcp-server'));
await cacheGatewayCode(program.files.get('gateway'));
// The architecture test reads the built graph from here.
const merged = (key) => Object.assign({}, ...metafiles.map((metafile) => metafile[key]));
writeFileSync('dist/meta.json', JSON.stringify({ inputs: merged('inputs'), outputs: merged('outputs') }));

if (!process.argv.includes('--no-types')) {
  const { buildTypes } = await import('./build-types.mjs');
  process.exitCode = await buildTypes(ENTRIES);
}
