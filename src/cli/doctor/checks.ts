import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Agent } from '../../app/agent.ts';
import type { MachineFacts } from '../../app/commands/inspect-machine.ts';
import { keySource } from '../../app/commands/key-source.ts';
import type { ProbeReport } from '../../app/commands/probe-server.ts';
import { findProxy } from '../../base/find-proxy.ts';
import { readProxy } from '../../base/read-proxy.ts';
import { redactUrl } from '../../base/redact-url.ts';
import type { Config } from '../../config/load-config.ts';
import { quietKeys, requireGuards } from '../../config/unused-keys.ts';
import { type AttemptOutcome, attempt } from '../attempt.ts';

/** Result of one check. */
export interface Row {
  readonly id: string;
  readonly status: 'ok' | 'warn' | 'fail';
  /** Finding of the check. */
  readonly what: string;
  /** Advice about a problem. */
  readonly fix: string | null;
  /** The MCP server that the row is about. */
  readonly mcp?: {
    readonly server: string;
    readonly state: 'ready' | 'slow' | 'failed' | 'disabled';
    readonly transport: 'stdio' | 'streamable_http';
    /** Number of its tools; null if they are not known. */
    readonly tools: number | null;
    readonly auth: string;
  };
}

/** Facts that the checks look at. */
export interface DoctorFacts {
  readonly node: string;
  readonly platform: string;
  readonly processor: string;
  readonly version: string;
  readonly home: AttemptOutcome<string>;
  /** Origin of the home: `default`, or a variable that sets it. */
  readonly homeFrom: string;
  /** The home of Codex, if there is one that is not used. */
  readonly codexHome: string | undefined;
  readonly config: AttemptOutcome<Config>;
  /** Files that settings were read from. */
  readonly files: readonly string[];
  readonly agent: AttemptOutcome<Pick<Agent, 'provider' | 'model' | 'config'>>;
  /** Answers of the server to a few requests. Undefined unless the user wanted them. */
  readonly online: ProbeReport | undefined;
  /** Undefined when there is no configuration to inspect the machine with. */
  readonly machine: MachineFacts | undefined;
  /** Rows about the configured MCP servers. */
  readonly servers: readonly Row[];
  readonly terminal: {
    readonly isTTY: boolean;
    readonly columns: number | undefined;
    readonly term: string;
    readonly colors: boolean;
  };
}

type Verdict = Omit<Row, 'id' | 'mcp'>;
/** A check returns undefined when it does not apply. */
type Check = (facts: DoctorFacts) => Verdict | undefined;

const OLDEST_NODE = [20, 19] as const;
const UNCONFINED = 'danger-full-access';

/** Checks of `oxbow doctor`, in order. */
const CHECKS: Readonly<Record<string, Check>> = {
  runtime({ node, platform, processor }) {
    const what = `Node ${node} on ${platform} ${processor}`;
    const [major = 0, minor = 0] = node.split('.').map(Number);
    const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
    return isOld ? fail(what, `install Node ${OLDEST_NODE.join('.')} or later`) : ok(what);
  },
  program: ({ version }) => ok(`oxbow ${version}`),
  home({ home, homeFrom, codexHome }) {
    if (!home.ok) return fail(home.why, 'set HOME, or OXBOW_HOME to a folder');
    const isThere = existsSync(home.value);
    const what = `${home.value} (${[homeFrom, ...(isThere ? [] : ['created when needed'])].join(', ')})${codexHome === undefined ? '' : `; the home of Codex, ${codexHome}, is not used: export OXBOW_HOME=${codexHome} does`}`;
    const fix = 'make it writable, or set OXBOW_HOME to another folder';
    return isWritable(nearestFolder(home.value)) ? ok(what) : fail(`${home.value} cannot be written to`, fix);
  },
  config({ config, files }) {
    if (!config.ok) return fail(config.why, 'fix the setting');
    const guards = attempt(() => requireGuards(config.value));
    if (!guards.ok) return fail(guards.why, 'oxbow config says what to do about each key');
    const what = files.length === 0 ? 'no file, the defaults apply' : files.join(', ');
    const { warnings, unused } = config.value;
    const quiet = quietKeys(unused);
    return warnings.length === 0
      ? ok(quiet === undefined ? what : `${what}; for the screens of Codex only: ${quiet}`)
      : warn(
          `${what}: ${[...warnings, ...(quiet === undefined ? [] : [`For the screens of Codex only: ${quiet}.`])].join(' ')}`,
          'oxbow config shows every setting, and what to do about each key without effect',
        );
  },
  provider({ agent, config }) {
    if (agent.ok) {
      const { name, baseUrl } = agent.value.provider;
      return ok(`${agent.value.model} at ${name} (${redactUrl(baseUrl)})`);
    }
    const isSaid = !config.ok || config.value.unused.some(({ guards }) => guards);
    return isSaid ? undefined : fail(agent.why, 'oxbow config shows every setting');
  },
  proxy({ agent }) {
    if (!agent.ok) return undefined;
    const { provider, config } = agent.value;
    const found = URL.canParse(provider.baseUrl) ? findProxy(new URL(provider.baseUrl), config.env) : undefined;
    if (found === undefined) return undefined;
    const read = readProxy(found);
    if ('fault' in read) return fail(read.fault, 'oxbow uses proxies that begin with http:// or https://');
    const { protocol, host, username } = read.url;
    const signIn = username === '' ? '' : ', with a user name and a password';
    return ok(`requests to the model go through ${protocol}//${host} (${found.variable})${signIn}`);
  },
  key: ({ agent }) => (agent.ok ? keyVerdict(agent.value) : undefined),
  online_server({ online }) {
    if (online === undefined) return undefined;
    const { failure, wire, wires, provider } = online;
    const host = new URL(provider.baseUrl).host;
    if (wire !== null) return ok(`${host} answers over ${wire}`);
    const isReached = failure !== null && failure.status !== null;
    const fix =
      wires.length > 1 ? 'check base_url: the server has no path of a model there' : 'check base_url and the network';
    return isReached ? ok(`${host} answers`) : fail(failure?.message ?? `${host} does not answer`, fix);
  },
  online_key({ online }) {
    const failed = online && keyFailure(online);
    if (online === undefined || (online.wire === null && failed === undefined)) return undefined;
    return failed === undefined ? ok('accepted') : fail(failed, 'check the key, and that it is a key of this server');
  },
  online_model({ online }) {
    if (online === undefined) return undefined;
    const { failure, model, wire } = online;
    if (wire !== null) return ok(`${model} answered`);
    if (failure === null || failure.status === null || keyFailure(online) !== undefined) return undefined;
    return fail(`${model} did not answer: ${failure.message}`, 'check the name of the model and base_url');
  },
  online_call({ online }) {
    if (online === undefined || online.wire === null) return undefined;
    const row = online.checks.find(({ id }) => id === 'call');
    if (online.callsTools) return ok(row?.says ?? 'called');
    return fail(row?.says ?? 'the model made no call', `oxbow probe ${online.provider.id} says more`);
  },
  sandbox: ({ machine, config }) =>
    machine && sandboxVerdict(machine, config.ok ? config.value.policy.sandbox.mode : ''),
  promises({ machine }) {
    if (machine?.promises === undefined) return undefined;
    const broken = machine.promises.filter(({ held }) => !held).map(({ id }) => id);
    const held = machine.promises.filter(({ held }) => held).map(({ id }) => id);
    if (broken.length === 0) return ok(`tried, and all hold: ${held.join(', ')}`);
    return warn(
      `these do not hold: ${broken.join(', ')}; these do: ${held.join(', ')}`,
      'docs/security.md explains them',
    );
  },
  allowed_domains({ machine, config }) {
    if (machine === undefined) return undefined;
    if (machine.noFilter === undefined) return ok('commands can be limited to some hosts');
    const isWanted = config.ok && (config.value.policy.sandbox.allowedDomains ?? []).length > 0;
    const what = `commands get the whole network or none: ${machine.noFilter}`;
    return isWanted ? warn(what, 'without it, allowed_domains allows nothing') : ok(what);
  },
  variables({ machine }) {
    if (machine === undefined) return undefined;
    if (machine.withheld.length === 0)
      return ok('none looks like a credential; commands get all that the settings allow');
    const names = machine.withheld.join(', ');
    return ok(
      `withheld from commands, as they look like credentials: ${names} (shell_environment_policy.keep passes some)`,
    );
  },
  git: ({ machine }) => machine && present(machine.versions.git, 'git', 'reviews and worktrees need it'),
  bubblewrap: ({ machine, platform }) =>
    machine && platform === 'linux'
      ? present(machine.versions.bubblewrap, 'bubblewrap', 'the best sandbox needs it')
      : undefined,
  perl: ({ machine, platform }) =>
    machine && platform === 'linux' ? present(machine.versions.perl, 'perl', 'Landlock needs it') : undefined,
  terminals({ machine }) {
    if (machine === undefined) return undefined;
    if (machine.noTerminals === undefined) return ok('commands can have a terminal');
    return warn(machine.noTerminals, 'reinstall oxbow on this system, with its dependencies');
  },
  images({ machine }) {
    if (machine === undefined) return undefined;
    if (machine.fitsImages) return ok('large images are made smaller before the model sees them');
    return warn('sharp was not found; large images cannot be shown to the model', 'install sharp next to oxbow');
  },
  terminal({ terminal }) {
    const { isTTY, columns, term, colors } = terminal;
    if (!isTTY) return ok('standard output is not a terminal');
    return ok(`${term || 'unknown kind'}, ${columns ?? '?'} columns, ${colors ? 'with' : 'without'} colours`);
  },
};

/** Runs all checks. The rows about MCP servers, of which there are any number, come last. */
export function examine(facts: DoctorFacts): Row[] {
  const rows = Object.entries(CHECKS).flatMap(([id, check]) => {
    const verdict = check(facts);
    return verdict === undefined ? [] : [{ id, ...verdict }];
  });
  return [...rows, ...facts.servers];
}

const ok = (what: string): Verdict => ({ status: 'ok', what, fix: null });
const warn = (what: string, fix: string): Verdict => ({ status: 'warn', what, fix });
const fail = (what: string, fix: string): Verdict => ({ status: 'fail', what, fix });

function present(version: string | undefined, name: string, use: string): Verdict {
  return version === undefined ? warn(`${name} was not found; ${use}`, `install ${name}`) : ok(version);
}

function keyVerdict({ provider, config }: Pick<Agent, 'provider' | 'config'>): Verdict {
  const key = keySource(provider, config);
  switch (key.kind) {
    case 'found':
      return ok(`from ${key.where}`);
    case 'chatgpt':
      return ok(`sign-in with ChatGPT, from ${key.where}`);
    case 'not needed':
      return ok('none needed');
    case 'missing':
      return fail(`none for ${provider.name}: ${key.variable} is not set`, `export ${key.variable}=…`);
    case 'unreadable':
      return fail(`none: ${key.why}`, 'fix the file');
  }
}

/** Returns the message of a server that refused the key; undefined if it did not. */
function keyFailure({ failure }: ProbeReport): string | undefined {
  if (failure === null) return undefined;
  return failure.code === 'auth' || failure.status === 401 || failure.status === 403 ? failure.message : undefined;
}

function sandboxVerdict({ sandbox: { type, text } }: MachineFacts, mode: string): Verdict {
  if (type === 'bubblewrap') return ok(`${mode}. ${text}`);
  if (type !== 'none') return warn(`${mode}. ${text}`, 'docs/security.md explains what that means');
  if (mode === UNCONFINED) return warn(`off (${UNCONFINED}). ${text}`, 'only run what you trust');
  return fail(text, 'until then, commands run only when you approve each one, or with --sandbox danger-full-access');
}

/** Reports whether a folder is writable. Tries it, because permissions do not tell for every disk and user. */
function isWritable(folder: string): boolean {
  try {
    rmdirSync(mkdtempSync(join(folder, '.oxbow-')));
    return true;
  } catch {
    return false;
  }
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}
