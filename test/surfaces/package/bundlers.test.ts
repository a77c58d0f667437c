import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { rollup } from 'rollup';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';
import { startProgram } from '../../harness/start-program.ts';
import { REPOSITORY } from './doc-pages.ts';

const PROGRAM = `
import { createAgent } from 'oxbow';
const main = async () => {
  const agent = createAgent();
  const thread = await agent.startThread({ ephemeral: true });
  const { status } = await thread.run('go');
  await agent.close();
  console.log(status);
};
main();
`;

const PATCH = '*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch';

/** Packages that docs/runtimes.md says are not bundled. */
const EXTERNAL = ['@lydell/node-pty', 'sharp'];

let root: string;
let project: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'oxbow-bundlers-'));
  project = join(root, 'project');
  for (const path of ['package.json', 'bin', 'dist']) {
    cpSync(join(REPOSITORY, path), join(project, 'node_modules/oxbow', path), { recursive: true });
  }
  cpSync(join(REPOSITORY, 'node_modules/@lydell'), join(project, 'node_modules/@lydell'), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(join(project, 'program.mjs'), PROGRAM);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Bundler = (entry: string, folder: string) => Promise<string>;

const BUNDLERS: Record<string, Bundler> = {
  async 'esbuild, ES modules'(entry, folder) {
    const outfile = join(folder, 'program.mjs');
    await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', external: EXTERNAL, outfile });
    return outfile;
  },
  async 'esbuild, CommonJS'(entry, folder) {
    const outfile = join(folder, 'program.cjs');
    // esbuild warns of `import.meta`, which CommonJS does not have.
    const logLevel = 'error';
    await build({ entryPoints: [entry], bundle: true, platform: 'node', external: EXTERNAL, outfile, logLevel });
    return outfile;
  },
  async rollup(input, dir) {
    const library = join(project, 'node_modules/oxbow/dist/index.js');
    const plugins = [{ name: 'resolve', resolveId: (id: string) => (id === 'oxbow' ? library : null) }];
    const bundle = await rollup({ input, plugins, external: (id) => /^(node:|@lydell\/|sharp$)/.test(id) });
    await bundle.write({ dir, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
    return join(dir, 'program.mjs');
  },
};

/** Bundlers that are installed in a folder outside the repository. */
function bundlersIn(clients: string): Record<string, Bundler> {
  const load = createRequire(join(clients, 'package.json'));
  const webpack: Bundler = async (entry, path) => {
    const modules = ['sharp', '@lydell/node-pty/requireBinary.js'];
    const externals = Object.fromEntries(modules.map((name) => [name, `commonjs ${name}`]));
    const output = { path, filename: 'program.cjs' };
    await new Promise<void>((resolve, reject) => {
      const done = (error: Error | null) => (error ? reject(error) : resolve());
      load('webpack')({ mode: 'production', target: 'node20', entry, output, externals }, done);
    });
    return join(path, 'program.cjs');
  };
  const nft: Bundler = async (entry, folder) => {
    const { fileList } = await load('@vercel/nft').nodeFileTrace([entry], { base: project });
    for (const path of fileList as Set<string>) cpSync(join(project, path), join(folder, path));
    return join(folder, 'program.mjs');
  };
  const known = { webpack, '@vercel/nft': nft };
  return Object.fromEntries(Object.entries(known).filter(([name]) => existsSync(join(clients, 'node_modules', name))));
}

const { OXBOW_CLIENTS } = process.env;
const bundlers = { ...BUNDLERS, ...(OXBOW_CLIENTS ? bundlersIn(OXBOW_CLIENTS) : {}) };

test.each(Object.entries(bundlers))(
  'a program bundled by %s runs commands, terminals and patches',
  async (name, bundle) => {
    const folder = join(root, name.replaceAll(/\W/g, '-'));
    mkdirSync(folder);
    const program = await bundle(join(project, 'program.mjs'), folder);
    // Packages with compiled code stand next to the bundle, as after an installation.
    cpSync(join(project, 'node_modules/@lydell'), join(folder, 'node_modules/@lydell'), { recursive: true });
    const s = await scene([
      reply(call('exec_command', { cmd: 'echo hello' })),
      reply(call('exec_command', { cmd: 'test -t 1 && echo terminal', tty: true })),
      reply(call('apply_patch', { input: PATCH })),
      reply(say('done')),
    ]);
    s.workspace.configure(scriptedConfig(s.model.url));
    const { home, path: cwd } = s.workspace;
    const env = { PATH: process.env.PATH ?? '', HOME: home, OXBOW_HOME: home, SCRIPTED_KEY: 'x' };
    const started = await startProgram({ command: process.execPath, args: [program], cwd, env });
    expect(await started.wait()).toMatchObject({ code: 0, stdout: 'completed\n', stderr: '' });
    const outputs = s.model.requests.slice(1).map(({ body }) => JSON.stringify(body.input?.at(-1)));
    expect(outputs).toEqual(['hello', 'terminal', 'A new.txt'].map((text) => expect.stringContaining(text)));
  },
);
