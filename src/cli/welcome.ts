import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, createAgent } from '../app/agent.ts';
import { findLauncher, type SandboxLauncher } from '../app/commands/find-launcher.ts';
import { type KeySource, keySource } from '../app/commands/key-source.ts';
import { findHome, homeOrigin, unusedCodexHome } from '../config/home.ts';
import { type Config, loadConfig } from '../config/load-config.ts';
import { aliasLine } from './alias-line.ts';
import { type AttemptOutcome, attempt } from './attempt.ts';
import { launcherAdvice } from './launcher-advice.ts';
import { print } from './output.ts';
import { createStyle, wantsColor } from './print/style.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Facts about the installation, things missing for a first turn, and commands to type next. */
interface Welcome {
  readonly rows: readonly (readonly [name: string, value: string])[];
  readonly missing: readonly string[];
  readonly next: readonly string[];
}

/**
 * Runs `oxbow` without arguments, which shows the state of the installation. A wrong configuration is shown and does
 * not make it fail.
 */
export function welcome(): number {
  const { env } = process;
  const { bold, dim, red } = createStyle(wantsColor('auto', process.stdout.isTTY === true, env.NO_COLOR));
  const { rows, missing, next } = describe(env);
  const list = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? '' : `\n${heading}\n${lines.map((line) => `${indented(line)}\n`).join('')}`;
  print(
    [
      `${bold(`oxbow ${OXBOW_VERSION}`)}\n\n`,
      ...rows.map(([name, value]) => `  ${dim(name.padEnd(9))}${value}\n`),
      list(red('Missing'), missing),
      list(bold('Next'), next),
    ].join(''),
  );
  return 0;
}

const indented = (text: string) => `  ${text.trimEnd().replaceAll('\n', '\n  ')}`;

function describe(env: Env): Welcome {
  const agent = attempt(() => createAgent({ env }));
  const config = agent.ok ? agent.value.config : made(attempt(() => loadConfig({ env })));
  const key = agent.ok ? keySource(agent.value.provider, agent.value.config) : undefined;
  const mode = config?.policy.sandbox.mode;
  const sandbox = findLauncher(env.PATH);
  return {
    rows: [
      ...homeRows(env),
      ...(agent.ok ? [['model', `${agent.value.model} (${agent.value.provider.name})`] as const] : []),
      ...(key ? [['key', keyText(key)] as const] : []),
      ['sandbox', sandboxText(mode, sandbox)],
      ...(config ? [['project', projectText(config)] as const] : []),
    ],
    missing: [
      ...(agent.ok ? [] : [agent.why]),
      ...(agent.ok && key ? keyMissing(agent.value, key) : []),
      ...(sandbox === undefined && mode !== UNCONFINED
        ? [`A sandbox, without which commands are refused: ${launcherAdvice()}.`]
        : []),
    ],
    next: [
      ...aliasLine(env.PATH, process.argv[1]),
      ...nextCommands(key?.kind === 'found' || key?.kind === 'chatgpt' || key?.kind === 'not needed', config),
    ],
  };
}

function made<T>(result: AttemptOutcome<T>): T | undefined {
  return result.ok ? result.value : undefined;
}

function homeRows(env: Env): (readonly [string, string])[] {
  const home = attempt(() => findHome(env));
  if (!home.ok) return [['home', 'none: set HOME, or OXBOW_HOME to a folder for the configuration and threads']];
  const file = join(home.value, 'config.toml');
  const isThere = existsSync(file);
  const codex = unusedCodexHome(env);
  const origin = homeOrigin(env);
  const notes = [
    ...(origin === 'default' ? [] : [`set by ${origin}`]),
    ...(existsSync(home.value) ? [] : ['created when needed']),
  ];
  return [
    ['home', notes.length === 0 ? home.value : `${home.value} (${notes.join(', ')})`],
    ...(codex === undefined ? [] : [['', `to use that of Codex: export OXBOW_HOME=${codex}`] as const]),
    ['config', isThere ? file : 'none, the defaults apply'],
  ];
}

function keyText(key: KeySource): string {
  switch (key.kind) {
    case 'found':
      return `from ${key.where}`;
    case 'chatgpt':
      return `sign-in with ChatGPT, from ${key.where}`;
    case 'not needed':
      return 'none needed';
    case 'missing':
      return `none: ${key.variable} is not set`;
    case 'unreadable':
      return 'none';
  }
}

function keyMissing({ provider }: Agent, key: KeySource): string[] {
  if (key.kind === 'unreadable') return [`${key.why}.`];
  if (key.kind !== 'missing') return [];
  const signIn = provider.openaiAuth ? 'oxbow login, or ' : '';
  return [`A key for ${provider.name}: ${signIn}export ${key.variable}=…`];
}

const UNCONFINED = 'danger-full-access';

function sandboxText(mode: string | undefined, launcher: SandboxLauncher | undefined): string {
  if (mode === UNCONFINED) return `off (${mode})`;
  if (launcher === undefined) return 'none';
  const note = launcher.type === 'landlock' ? ' (Landlock; bubblewrap protects more)' : '';
  return `${mode === undefined ? '' : `${mode}, by `}${launcher.program}${note}`;
}

const needsFlag = ({ project }: Config) => project.root === null && !project.trusted;

function projectText(config: Config): string {
  const { cwd, project } = config;
  if (needsFlag(config)) return `${cwd} (not a git repository, and not trusted)`;
  return `${project.root ?? cwd} (${project.trusted ? 'trusted' : 'not marked as trusted'})`;
}

function nextCommands(canAsk: boolean, config: Config | undefined): string[] {
  const exec = `oxbow exec${config && needsFlag(config) ? ' --skip-git-repo-check' : ''}`;
  return [
    canAsk ? `${exec} "explain this project"` : 'oxbow demo    # a turn without a key',
    canAsk
      ? `${exec} -s workspace-write "make the failing test pass"`
      : `${exec} -c model_provider=ollama -m gpt-oss:20b "explain this project"`,
    'oxbow --help',
  ];
}
