// Builds dist/: the library as ES modules, the program as CommonJS, and the type declarations.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build, transform } from 'esbuild';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

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
  define: { OXBOW_VERSION: JSON.stringify(version) },
  metafile: true,
  logLevel: 'warning',
};

/**
 * The program is CommonJS and shares no chunk with the library. Node loads ES modules asynchronously, one hop a level,
 * and builds a namespace for each of its own modules that is imported: about 10 ms of every start, for nothing.
 */
async function buildProgram() {
  const built = await build({ ...options, entryPoints: { cli: 'src/cli/main.ts' }, outdir: 'dist/program' });
  for (const path of Object.keys(built.metafile.outputs)) {
    const { code } = await transform(readFileSync(path, 'utf8'), {
      format: 'cjs',
      platform: 'node',
      target: options.target,
      supported: { 'dynamic-import': false },
      minifySyntax: true,
      minifyWhitespace: true,
    });
    writeFileSync(path, code);
  }
  writeFileSync('dist/program/package.json', '{"type":"commonjs"}\n');
  return built.metafile;
}

async function buildLibrary() {
  const entryPoints = {
    index: 'src/index.ts',
    'codex-sdk': 'src/app/codex-sdk/index.ts',
    wire: 'src/wire/index.ts',
    testing: 'src/testing/index.ts',
  };
  return (await build({ ...options, entryPoints, outdir: 'dist' })).metafile;
}

rmSync('dist', { recursive: true, force: true });
const metafiles = [await buildProgram(), await buildLibrary()];
// The architecture test reads the built graph from here.
const merged = (key) => Object.assign({}, ...metafiles.map((metafile) => metafile[key]));
writeFileSync('dist/meta.json', JSON.stringify({ inputs: merged('inputs'), outputs: merged('outputs') }));

if (!process.argv.includes('--no-types')) {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'];
  process.exitCode = spawnSync(process.execPath, tsc, { stdio: 'inherit' }).status ?? 1;
}
