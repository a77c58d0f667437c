import { join } from 'node:path';
import {
  entryOf,
  findProbeTarget,
  type ProbeProgress,
  type ProbeReport,
  type ProbeTarget,
  type ProviderEntry,
  probeExtent,
  probeServer,
} from '../../app/commands/probe-server.ts';
import { redactUrl } from '../../base/redact-url.ts';
import { findHome } from '../../config/home.ts';
import { type Config, loadConfig } from '../../config/load-config.ts';
import { tableLines } from '../../config/set-table.ts';
import { printable } from '../../text/visible.ts';
import { formatHelp } from '../format-help.ts';
import { interruptSignal } from '../interrupt-signal.ts';
import { createOutput, print } from '../output.ts';
import { duration, parseOptions, UsageError } from '../parse-options.ts';
import { createStyle, wantsColor, wantsProgress } from '../print/style.ts';
import { formatReport } from '../probe/format-report.ts';
import { writeEntry } from '../probe/write-entry.ts';
import { ORIGINS } from '../wording.ts';

const options = {
  model: { type: 'string', short: 'm', value: 'MODEL', help: 'Ask this model' },
  write: { type: 'boolean', help: 'Save the entry in config.toml, as NAME if one follows' },
  json: { type: 'boolean', help: 'Print everything as one JSON object' },
  'key-env': { type: 'string', value: 'VARIABLE', help: 'Variable with the key of a server that has no entry yet' },
  timeout: { type: 'string', value: 'TIME', help: 'Longest time of one request (60s)' },
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow probe URL|PROVIDER [options] [--write [NAME]]',
  about: `Learns from a dozen small requests how a model server really behaves: its wires, roles, parameters, calls, schemas,
usage and streams. Prints the quirks that were seen, who handles each, and the entry for config.toml. Says first how many
requests it sends, and where to.`,
  options,
  example: 'oxbow probe http://localhost:8000/v1 --write my-server',
  more: {
    'Exit codes': [
      '0  the agent can work with the server',
      '1  the server cannot be reached, refuses the key or the model, or stopped answering',
      '2  wrong usage',
      '3  the server answers, but its model calls no tools',
    ],
  },
};

const TIMEOUT_MS = 60_000;

/** Runs `oxbow probe`, which learns how a server behaves. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('probe', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  const { server, name } = wordsOf(positionals, values.write ?? false);
  const timeoutMs = duration('timeout', values.timeout) ?? TIMEOUT_MS;
  const config = loadConfig({ origins: ORIGINS, overrides: values.config ?? [] });
  const target = findProbeTarget(server, values['key-env'], config);
  if (target.key.kind === 'missing')
    throw new UsageError(`The key of ${target.provider.name} is missing: ${target.key.variable} is not set.`);
  announce(target);
  const line = createProgressLine();
  const interrupt = interruptSignal();
  try {
    const { signal } = interrupt;
    const model = values.model ?? configuredModel(target, config);
    const report = await probeServer(target, config, { model, timeoutMs, signal, onProgress: line.show });
    line.erase();
    const code = interrupt.exitCode();
    if (code !== undefined) process.stderr.write('Interrupted.\n');
    return code ?? (await finish(report, target, { ...values, name: name ?? target.name }));
  } finally {
    interrupt.done();
  }
}

interface ProbeFlags {
  readonly name: string;
  readonly json?: boolean;
  readonly write?: boolean;
}

/** Prints the report and writes the entry. Returns the exit code. */
async function finish(report: ProbeReport, target: ProbeTarget, { name, json, write }: ProbeFlags): Promise<number> {
  const entry = entryOf(report, target, name);
  const shown = entry && withoutSecrets(entry);
  const toml = shown && `${tableLines(['model_providers', name], shown).join('\n')}\n`;
  const file = write && entry && report.failure === null ? join(findHome(process.env), 'config.toml') : undefined;
  if (file !== undefined && entry !== undefined) writeEntry(file, name, entry);
  const output = createOutput(() => {});
  if (json) output.write(`${JSON.stringify(reportJson(report, { name, entry: shown, toml, file }), null, 2)}\n`);
  else {
    const style = createStyle(wantsColor('auto', process.stdout.isTTY === true, process.env.NO_COLOR));
    output.write(formatReport(report, style));
    if (toml !== undefined && report.failure === null) output.write(`\n${printable(toml)}`);
  }
  await output.end();
  if (file !== undefined)
    process.stderr.write(`The provider "${name}" is now in ${file}. Try: ${tryLine(name, report)}\n`);
  if (report.failure !== null) process.stderr.write(`oxbow: ${printable(sentence(report))}\n`);
  if (report.failure !== null) return 1;
  return report.callsTools ? 0 : 3;
}

/** Returns the entry for people to see. A password in the address is written to the file only. */
function withoutSecrets(entry: ProviderEntry): ProviderEntry {
  return typeof entry.base_url === 'string' ? { ...entry, base_url: redactUrl(entry.base_url) } : entry;
}

function sentence({ failure, modelSource }: ProbeReport): string {
  const { message = '' } = failure ?? {};
  return modelSource === 'unknown' && [400, 404, 422].includes(failure?.status ?? 0)
    ? `${message.replace(/\.?$/, '.')} The server lists no models: name one with --model.`
    : message;
}

function tryLine(name: string, { model }: ProbeReport): string {
  return `oxbow exec -c model_provider=${name} -m ${model} "say hello"`;
}

function reportJson(
  report: ProbeReport,
  written: { name: string; entry: ProviderEntry | undefined; toml: string | undefined; file: string | undefined },
) {
  const { provider, model, modelSource, wires, wire, checks, findings, requests, callsTools, failure } = report;
  const { name, entry = null, toml = null, file = null } = written;
  const quirks = [...new Set(findings.flatMap(({ quirk }) => quirk ?? []))];
  const url = redactUrl(provider.baseUrl);
  return {
    url,
    model,
    modelSource,
    wires,
    wire,
    requests,
    callsTools,
    quirks,
    findings,
    checks,
    failure,
    name,
    entry,
    toml,
    file,
  };
}

/** Says where requests will go, before any is sent. */
function announce({ provider, key }: ProbeTarget): void {
  const { usual, most } = probeExtent();
  const { host } = new URL(provider.baseUrl);
  const from = key.kind === 'found' ? `, with the key from ${key.where}` : ', without a key';
  process.stderr.write(
    `Sends about ${usual} small requests to ${host}${from}, and ${most} at most if the server refuses some.\n`,
  );
}

/** Returns the model of the configuration if its provider is the one to probe. */
function configuredModel({ name }: ProbeTarget, { model, modelProvider }: Config): string | undefined {
  return modelProvider === name ? (model ?? undefined) : undefined;
}

/** Reads the server and the name behind --write, which is a word of its own. */
function wordsOf(words: readonly string[], write: boolean): { readonly server: string; readonly name?: string } {
  const [first, second, ...more] = words;
  if (first === undefined) throw new UsageError(`oxbow probe takes an address or a provider. ${SEE}`);
  if (second === undefined) return { server: first };
  if (!write || more.length > 0) throw new UsageError(`Unexpected "${write ? more[0] : second}". ${SEE}`);
  const [server, name] = /^https?:/i.test(second) ? [second, first] : [first, second];
  if (!/^[\w-]+$/.test(name)) throw new UsageError(`The name "${name}" cannot be used. Use letters, digits, - and _.`);
  return { server, name };
}

const SEE = 'See oxbow probe --help.';

/** A line about the running check. */
interface ProgressLine {
  show(progress: ProbeProgress): void;
  erase(): void;
}

/** Returns a line on a terminal that can erase it. Elsewhere nothing is printed. */
function createProgressLine(): ProgressLine {
  if (!wantsProgress(process.stderr.isTTY === true, process.env)) return { show() {}, erase() {} };
  const erase = () => void process.stderr.write('\r\u001b[K');
  return {
    show({ check, number, of }) {
      erase();
      process.stderr.write(`${number}/${of} ${check}`);
    },
    erase,
  };
}
