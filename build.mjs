// Builds dist/: the bundles with their shared chunks, and the type declarations beside them.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: {
    cli: 'src/cli/main.ts',
    index: 'src/index.ts',
    wire: 'src/wire/index.ts',
    testing: 'src/testing/index.ts',
  },
  outdir: 'dist',
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
});
// The architecture test reads the built graph from here.
writeFileSync('dist/meta.json', JSON.stringify(metafile));

if (!process.argv.includes('--no-types')) {
  const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], {
    stdio: 'inherit',
  });
  process.exitCode = tsc.status ?? 1;
}
