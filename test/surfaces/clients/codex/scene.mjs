import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MCP_SERVER, MODEL, OXBOW, openScene, runProgram } from '../programs/scene.mjs';
import { codexTask } from './task.mjs';

const run = promisify(execFile);

/** Starts a server of one kind, the gateway in front of it, and a Codex that uses the gateway as the gateway advises. */
export async function openCodexScene(codex, kind) {
  const scene = await openScene(kind, () => codexTask);
  const codexHome = join(scene.home, 'codex');
  mkdirSync(codexHome);
  const env = { ...scene.env, CODEX_HOME: codexHome };
  const lines = await linesForCodex(scene, env);
  writeFileSync(join(codexHome, 'models.json'), await catalogue(codex, env));
  writeFileSync(join(codexHome, 'config.toml'), codexConfig(lines, codexHome));
  const flags = ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
  return {
    ...scene,
    runCodex: (args) => runProgram(codex, [...flags, '-C', scene.work, ...args], { env, cwd: scene.work }),
  };
}

async function linesForCodex({ server, gateway }, env) {
  const { port } = new URL(gateway.url);
  const args = ['gateway', '--upstream', server.url, '-m', MODEL, '--port', port, '--for', 'codex'];
  const { stdout } = await run(process.execPath, [OXBOW, ...args], { env });
  return stdout;
}

/**
 * Returns a catalogue with an entry for our model. Codex offers its patch tool only to models of its catalogue: see
 * docs/gateway.md.
 */
async function catalogue(codex, env) {
  const { stdout } = await run(codex, ['debug', 'models', '--bundled'], { env, maxBuffer: 64 * 1024 * 1024 });
  const { models } = JSON.parse(stdout);
  const known = models.find(({ slug }) => slug === 'gpt-5.5');
  if (known === undefined) throw new Error('The catalogue of this Codex has no gpt-5.5 to begin with.');
  const entry = { ...known, slug: MODEL, display_name: MODEL, supports_search_tool: false, support_verbosity: false };
  return JSON.stringify({ models: [entry] });
}

/** Returns Codex's config: the catalogue, the lines that the gateway prints, word for word, and the MCP server. */
function codexConfig(lines, codexHome) {
  const quoted = (value) => JSON.stringify(value);
  return [
    `model_catalog_json = ${quoted(join(codexHome, 'models.json'))}`,
    lines,
    '[mcp_servers.echoes]',
    `command = ${quoted(process.execPath)}`,
    `args = [${quoted(MCP_SERVER)}]`,
    '',
  ].join('\n');
}
