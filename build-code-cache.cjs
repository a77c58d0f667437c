// Runs a bundle of the program once and keeps the code that V8 made of it, for src/cli/load-cached.ts.
// Usage: node build-code-cache.cjs FILE ARGUMENT…
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

const [path, ...argv] = process.argv.slice(2);
const script = new Script(wrap(readFileSync(path, 'utf8')), { filename: path });
const module_ = { exports: {} };
script.runInThisContext().call(module_.exports, module_.exports, createRequire(path), module_, path, dirname(path));
module_.exports.run(argv, {}).then((code) => {
  if (code === 0) writeFileSync(`${path}.cache`, script.createCachedData());
  process.exitCode = code;
});
