// Other agents next to Oxbow, for bench/terminal.mjs: how they are configured and started.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns how the agents that are installed are started, by their names. Says why one is left out. */
export function peersAt(port, home, cwd) {
  return Object.fromEntries(
    [
      ['Codex', 'OXBOW_CODEX', codexAt],
      ['pi', 'OXBOW_PI', piAt],
    ].flatMap(([name, variable, setup]) => {
      const program = process.env[variable];
      if (program && existsSync(program)) return [[name, setup(program, port, home, cwd)]];
      process.stdout.write(`terminal, ${name}: not measured, ${variable} names no program\n`);
      return [];
    }),
  );
}

function codexAt(program, port, home, cwd) {
  const folder = join(home, 'codex');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'config.toml'),
    `model = "bench"
model_provider = "bench"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.bench]
name = "bench"
base_url = "http://127.0.0.1:${port}/v1"
wire_api = "responses"
env_key = "BENCH_KEY"
[projects."${cwd}"]
trust_level = "trusted"
`,
  );
  return { argv: [program], cwd, env: { HOME: folder, CODEX_HOME: folder, BENCH_KEY: 'none' }, ready: '›' };
}

function piAt(program, port, home, cwd) {
  const folder = join(home, 'pi');
  mkdirSync(folder, { recursive: true });
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = {
    id: 'bench',
    name: 'bench',
    reasoning: false,
    input: ['text'],
    contextWindow: 200_000,
    maxTokens: 100_000,
  };
  const provider = { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'none', api: 'openai-completions' };
  const providers = { bench: { ...provider, models: [{ ...model, cost }] } };
  writeFileSync(join(folder, 'models.json'), JSON.stringify({ providers }));
  const argv = [program, '--provider', 'bench', '--model', 'bench'];
  const env = { HOME: folder, PI_CODING_AGENT_DIR: folder, PI_OFFLINE: '1' };
  return { argv, cwd, env, first: '─', ready: '─' };
}
