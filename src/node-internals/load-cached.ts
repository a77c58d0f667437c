import { readFileSync } from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { Script } from 'node:vm';

/**
 * Loads a file as `require` does, from the compiled code that the build has put next to it (`FILE.cache`). The files that it
 * names by relative paths are loaded in the same way. A file without such code is loaded by `require`.
 *
 * Relies on the code cache of `vm.Script`, and on `module.wrap`. The build writes ASCII. The names of the files contain a
 * hash of their content, so a file and its code belong together. V8 checks its own version and flags, and compiles the
 * source where they differ.
 * test/package/code-cache.test.ts notices when V8 refuses the built code, and load-cached.test.ts when the code is not used.
 * Measured alone, `oxbow exec` with one command takes 0.64 ± 0.02 of the processor time: 130 ms instead of 204 ms.
 */
export function loadCached(path: string): unknown {
  const first = readCache(path);
  if (!first) return createRequire(path)(path);
  return loadFrom(path, (file, source) => {
    const cachedData = file === path ? first : readCache(file);
    return new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) });
  });
}

/** Loads a file and the files that it names by relative paths, each file once. */
export function loadFrom(path: string, compile: (path: string, source: string) => Script): unknown {
  const modules = new Map<string, { exports: unknown }>();
  const load = (file: string): unknown => {
    const known = modules.get(file);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(file, module);
    const folder = dirname(file);
    const plain = createRequire(file);
    const require = (id: string) => (id.startsWith('.') ? load(resolve(folder, id)) : plain(id));
    // The files are ASCII, and V8 keeps a text of these characters in half the memory.
    const run = compile(file, wrap(readFileSync(file, 'latin1'))).runInThisContext();
    run.call(module.exports, module.exports, Object.assign(require, plain), module, file, folder);
    return module.exports;
  };
  return load(path);
}

function readCache(path: string): Buffer | undefined {
  try {
    return readFileSync(`${path}.cache`);
  } catch {
    return undefined;
  }
}
