// Runs a bundle of the program once and writes the code that V8 compiled its files to, for src/node-internals/load-cached.ts.
// Usage: node build-code-cache.cjs FILE ARGUMENT…
const { writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');
const { loadFrom } = require('./dist/program/load-cached.js');

const [path, ...argv] = process.argv.slice(2);
const scripts = new Map();
const bundle = loadFrom(path, (filename, source) => {
  const script = new Script(source, { filename });
  scripts.set(filename, script);
  return script;
});
bundle.run(argv, {}).then((code) => {
  // V8 refuses code that was compiled under other flags than those of a start, and `keepHeapSmall` has changed this flag.
  setFlagsFromString('--semi-space-growth-factor=2');
  if (code === 0) for (const [file, script] of scripts) writeFileSync(`${file}.cache`, script.createCachedData());
  process.exitCode = code;
});
