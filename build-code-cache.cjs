// Runs a function of a bundle of the program once and writes the code that V8 compiled the bundle's files to, for
// src/node-internals/load-cached.ts. Bundles that it loads get such code too. Usage: node build-code-cache.cjs FILE
// run ARGUMENT…, or FILE interactive COMMAND ARGUMENT….
const { writeFileSync } = require('node:fs');
const v8 = require('node:v8');
const { Script } = require('node:vm');

// V8 refuses code that was compiled under other flags than those of a start, so that bundles can change none here.
v8.setFlagsFromString = () => {};

const cached = require.resolve('./dist/program/load-cached.js');
const { loadFrom } = require(cached);
const [path, name, ...argv] = process.argv.slice(2);
const scripts = new Map();
const loadCached = (file) => loadFrom(file, compile);
// Bundles find this function in the place of the one that reads the code.
require.cache[cached].exports = { loadFrom, loadCached };

function compile(filename, source) {
  const script = new Script(source, { filename });
  scripts.set(filename, script);
  return script;
}

function start(bundle) {
  const [command, ...rest] = argv;
  return name === 'interactive' ? bundle.interactive(command, rest, []) : bundle.run(argv, {});
}

start(loadCached(path)).then((code) => {
  if (code === 0) for (const [file, script] of scripts) writeFileSync(`${file}.cache`, script.createCachedData());
  process.exitCode = code;
});
