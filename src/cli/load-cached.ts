import { readFileSync } from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { Script } from 'node:vm';

/**
 * `require` for a file beside which the build has put the code that V8 made of it: a start then compiles almost nothing. The same
 * for the files that it loads. Their names hold a hash of their content, so file and code belong together; V8 itself checks its
 * version and flags, and compiles as usual where they differ. Without such a file this is plain `require`.
 */
export function loadCached(path: string): unknown {
  const first = readCache(path);
  if (!first) return createRequire(path)(path);
  return loadFrom(path, (file, source) => {
    const cachedData = file === path ? first : readCache(file);
    return new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) });
  });
}

/** Loads a file and, each once, those that it names by their paths. */
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
    const run = compile(file, wrap(readFileSync(file, 'utf8'))).runInThisContext();
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
