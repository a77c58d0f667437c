// Builds dist/: the library as ES modules, the program as CommonJS, and the type declarations.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
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
  const lazy = new Map();
  const commandsApart = {
    name: 'commands-apart',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path, importer, resolveDir }) => {
        if (kind !== 'dynamic-import' || !/src\/cli\/(main|commands\/index)\.ts$/.test(importer)) return undefined;
        const name = basename(path, '.ts');
        lazy.set(name, join(resolveDir, path));
        return { path: `./${name}/`, external: true };
      });
    },
  };
  const main = await build({
    ...options,
    entryPoints: { cli: 'src/cli/main.ts', 'load-cached': 'src/node-internals/load-cached.ts' },
    outdir: 'dist/program',
    plugins: [commandsApart],
  });
  const built = [...lazy].map(async ([name, source]) => {
    const outdir = `dist/program/${name}`;
    const result = await build({ ...options, entryPoints: { [name]: source }, entryNames: '[name]-[hash]', outdir });
    return { name, source, ...result };
  });
  const commands = await Promise.all(built);
  const metafiles = [main, ...commands].map(({ metafile }) => metafile);
  await Promise.all(metafiles.flatMap(({ outputs }) => Object.keys(outputs)).map(toCommonJs));
  const files = new Map(
    commands.map(({ name, source, metafile }) => [name, pack(metafile, entryOf(metafile, source))]),
  );
  nameCommands(files);
  writeFileSync('dist/program/package.json', '{"type":"commonjs"}\n');
  return { metafiles, exec: files.get('exec') };
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
  if (paths.length === 1) return entry;
  const folder = dirname(entry);
  const first = new Set([entry]);
  for (const path of first) {
    for (const edge of outputs[path].imports) {
      if (edge.kind === 'import-statement' && edge.path in outputs) first.add(edge.path);
    }
  }
  const later = writeHashed(folder, 'later', `module.exports=${partsOf(paths.filter((path) => !first.has(path)))};`);
  const code = `const parts=${partsOf([...first])},loaded={};
const load=name=>{
  if(loaded[name])return loaded[name].exports;
  if(!parts[name])Object.assign(parts,require("./${basename(later)}"));
  const module=loaded[name]={exports:{}};
  parts[name](module.exports,requirePart,module);
  return module.exports;
};
const requirePart=Object.assign(id=>id.startsWith(".")?load(id.slice(id.lastIndexOf("/")+1)):require(id),require);
module.exports=load("${basename(entry)}");`;
  for (const path of paths) rmSync(path);
  rmSync(join(folder, 'chunks'), { recursive: true });
  return writeHashed(folder, basename(folder), code);
}

/** Returns the source of an object that has each file as a method, under the name of the file. */
const partsOf = (paths) =>
  `{${paths.map((path) => `"${basename(path)}"(exports,require,module){${readFileSync(path, 'utf8')}}`).join(',\n')}}`;

/**
 * Writes code to a file with a hash of the code in its name, so that a code cache is never used for other code. Returns
 * the path.
 */
function writeHashed(folder, name, code) {
  const path = join(folder, `${name}-${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`);
  writeFileSync(path, code);
  return path;
}

/** Writes the files of the commands into cli.js, which loads them through the code cache. */
function nameCommands(files) {
  const code = readFileSync('dist/program/cli.js', 'utf8').replace(/require\("\.\/([\w-]+)\/"\)/g, (_, name) => {
    const path = relative('dist/program', files.get(name));
    return `require("./load-cached.js").loadCached(require("node:path").join(__dirname,${JSON.stringify(path)}))`;
  });
  writeFileSync('dist/program/cli.js', code);
}

/** Runs one turn of `exec` against a scripted model. V8 compiles for this turn the code that every start needs. */
async function cacheCode(path) {
  const { startScriptedModel, reply, say, call, createWorkspace } = await import('./dist/testing.js');
  const model = await startScriptedModel([reply(call('exec_command', { cmd: 'true' })), reply(say('done'))]);
  const workspace = createWorkspace();
  const provider = `model_provider = "s"\n[model_providers.s]\nbase_url = "${model.url}"\nwire_api = "responses"\n`;
  workspace.configure(`model = "m"\nsandbox_mode = "danger-full-access"\n${provider}`);
  const args = ['build-code-cache.cjs', resolve(path), '--json', '-C', workspace.path, 'hello'];
  const env = { PATH: process.env.PATH, HOME: workspace.home, OXBOW_HOME: workspace.home };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'], env });
  const [code] = await once(child, 'close');
  if (code !== 0) process.stderr.write('The code cache could not be made; the program starts a little slower.\n');
  await model.close();
  workspace.dispose();
}

async function toCommonJs(path) {
  const { code } = await transform(readFileSync(path, 'utf8'), {
    format: 'cjs',
    platform: 'node',
    target: options.target,
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname' },
    minifySyntax: true,
    minifyWhitespace: true,
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
await cacheCode(program.exec);
// The architecture test reads the built graph from here.
const merged = (key) => Object.assign({}, ...metafiles.map((metafile) => metafile[key]));
writeFileSync('dist/meta.json', JSON.stringify({ inputs: merged('inputs'), outputs: merged('outputs') }));

if (!process.argv.includes('--no-types')) {
  const { buildTypes } = await import('./build-types.mjs');
  process.exitCode = await buildTypes(ENTRIES);
}
