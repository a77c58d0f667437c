import { readFileSync } from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/**
 * `require` for a file beside which the build has put the code that V8 made of it: a start then compiles almost nothing.
 * The file's name holds a hash of its content, so the two belong together; V8 itself checks its version and flags, and
 * compiles as usual where they differ. Without such a file this is plain `require`.
 */
export function loadCached(path: string): unknown {
  const requireFrom = createRequire(path);
  const cachedData = readCache(`${path}.cache`);
  if (!cachedData) return requireFrom(path);
  const script = new Script(wrap(readFileSync(path, 'utf8')), { filename: path, cachedData });
  const module = { exports: {} };
  script.runInThisContext().call(module.exports, module.exports, requireFrom, module, path, dirname(path));
  return module.exports;
}

function readCache(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
