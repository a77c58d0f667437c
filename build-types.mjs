// Builds the declarations of the package: one file for each entry, next to its code in dist/.
import { spawnSync } from 'node:child_process';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/** Folder with a declaration for each file of src/. It outlives a build: the compiler then reads only what has changed. */
const CACHE = '.cache/types';

/**
 * Writes `dist/<name>.d.ts` for each entry. Returns the exit code of the compiler, which does not look for errors in
 * types: `npm run check` does, and the declarations take half the time without.
 */
export async function buildTypes(entryPoints) {
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'];
  const code = spawnSync(process.execPath, tsc, { stdio: 'inherit' }).status ?? 1;
  if (code === 0) await Promise.all(Object.entries(entryPoints).map(bundleTypes));
  return code;
}

/** Writes the declarations of an entry, with all types that they name. Types that entries share are equal by structure. */
async function bundleTypes([name, source]) {
  const input = source.replace(/^src/, CACHE).replace(/\.ts$/, '.d.ts');
  const bundle = await rollup({ input, plugins: [dts()], external: /^node:/ });
  await bundle.write({ file: `dist/${name}.d.ts`, format: 'es' });
}
