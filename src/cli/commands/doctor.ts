import { existsSync } from 'node:fs';
import { type Agent, createAgent } from '../../app/agent.ts';
import { inspectMachine } from '../../app/commands/inspect-machine.ts';
import type { ProbeReport } from '../../app/commands/probe-server.ts';
import { findHome, homeOrigin, unusedCodexHome } from '../../config/home.ts';
import { type Config, type LoadOptions, loadConfig } from '../../config/load-config.ts';
import { readSources } from '../../config/read-sources.ts';
import { printable } from '../../text/visible.ts';
import { attempt } from '../attempt.ts';
import { type DoctorFacts, examine, type Row } from '../doctor/checks.ts';
import { formatHelp } from '../format-help.ts';
import { createOutput, print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { createStyle, type Style, wantsColor } from '../print/style.ts';
import { ORIGINS } from '../wording.ts';

const options = {
  online: { type: 'boolean', help: 'Also ask the server: address, key, model and one call' },
  json: { type: 'boolean', help: 'Print a JSON array of objects with id, status, what, fix and, about a server, mcp' },
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  profile: { type: 'string', short: 'p', value: 'PROFILE', help: 'Use this profile' },
  cd: { type: 'string', short: 'C', value: 'DIR', help: 'Run the checks for this folder' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow doctor [options]',
  about: `Checks everything that a turn needs: the runtime, the home, the configuration, the provider and its key, and the
sandbox. Prints what is wrong and how to fix it. Nothing is sent to the provider, except with --online. The configured MCP
servers are started, or connected to, as a turn would do; each has 10 seconds at most.`,
  options,
  example: 'oxbow doctor --json',
  more: { 'Exit codes': ['0  everything works, perhaps with warnings', '1  something is wrong', '2  wrong usage'] },
};

/** Runs `oxbow doctor`, which reports what works on this machine and what does not. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('doctor', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  if (positionals.length > 0) throw new UsageError(`Unexpected "${positionals[0]}". See oxbow doctor --help.`);
  const given: LoadOptions = {
    origins: ORIGINS,
    overrides: values.config ?? [],
    ...(values.profile === undefined ? {} : { profile: values.profile }),
    ...(values.cd === undefined ? {} : { cwd: values.cd }),
  };
  const rows = examine(await gather(given, values.online ?? false));
  const output = createOutput(() => {});
  output.write(values.json ? `${JSON.stringify(rows, null, 2)}\n` : formatRows(rows));
  await output.end();
  return rows.some(({ status }) => status === 'fail') ? 1 : 0;
}

async function gather(given: LoadOptions, online: boolean): Promise<DoctorFacts> {
  const { env, stdout } = process;
  const config = attempt(() => loadConfig(given));
  const sources = attempt(() => readSources(given));
  const agent = attempt(() => createAgent(given));
  return {
    node: process.versions.node,
    platform: process.platform,
    processor: process.arch,
    version: OXBOW_VERSION,
    home: attempt(() => findHome(env)),
    homeFrom: homeOrigin(env),
    codexHome: unusedCodexHome(env),
    config,
    files: sources.ok ? sources.value.layers.map(({ origin }) => origin).filter((origin) => existsSync(origin)) : [],
    agent,
    online: online && agent.ok ? await askServer(agent.value) : undefined,
    machine: config.ok ? await inspectMachine(config.value) : undefined,
    servers: config.ok && config.value.tools.mcp.servers.length > 0 ? await serverRows(config.value) : [],
    terminal: {
      isTTY: stdout.isTTY === true,
      columns: stdout.columns,
      term: env.TERM ?? '',
      colors: wantsColor('auto', stdout.isTTY === true, env.NO_COLOR),
    },
  };
}

async function serverRows(config: Config): Promise<readonly Row[]> {
  const { inspectServers } = await import('../doctor/inspect-servers.ts');
  return inspectServers(config);
}

/** Sends a few requests to the server of the configuration. Says so first. */
async function askServer({ provider, model, config }: Agent): Promise<ProbeReport> {
  const { ONLINE_CHECKS: only, probeExtent, probeServer } = await import('../../app/commands/probe-server.ts');
  process.stderr.write(
    `Sends ${probeExtent(only).most} small requests at most to ${new URL(provider.baseUrl).host}.\n`,
  );
  const { signal } = new AbortController();
  return probeServer({ provider }, config, { model, only, signal, timeoutMs: ONLINE_MS });
}

const ONLINE_MS = 30_000;

function formatRows(rows: readonly Row[]): string {
  const style = createStyle(wantsColor('auto', process.stdout.isTTY === true, process.env.NO_COLOR));
  const width = Math.max(...rows.map(({ id }) => id.length));
  return rows.map((row) => formatRow(row, width, style)).join('');
}

function formatRow({ id, status, what, fix }: Row, width: number, { green, red, cyan, dim }: Style): string {
  const paint = { ok: green, warn: cyan, fail: red }[status];
  const fixLine = fix === null ? '' : `${' '.repeat(width + 7)}${dim(`→ ${printable(fix)}`)}\n`;
  return `${paint(status.padEnd(4))}  ${id.padEnd(width)} ${printable(what)}\n${fixLine}`;
}
