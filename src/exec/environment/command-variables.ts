import type { World } from '../../base/world.ts';
import {
  type CommandFacts,
  commandEnvironment,
  filterEnvironment,
  type OwnCommands,
  type ShellEnvironmentPolicy,
  type Variables,
} from '../process/command-environment.ts';
import { plainLaunch } from '../process/launch.ts';
import type { CommandMark } from '../process/marked-process.ts';
import type { CommandStarter } from '../start/command-starter.ts';
import type { OpenLaunches } from '../start/open-launches.ts';
import type { Confinement } from './confinement.ts';
import { captureLoginEnvironment, loginShellArgv } from './login-environment.ts';

/** Settings of the variables that commands get. */
export interface VariableSettings {
  /** The user's shell, an absolute path. */
  readonly shell: string;
  readonly baseEnv: Variables;
  readonly environmentPolicy: ShellEnvironmentPolicy;
  readonly threadId: string;
  readonly version: string;
  readonly world: World;
  /** Our own programs that every command finds. */
  readonly commands?: OwnCommands;
}

/** Objects of the environment with which a login shell is started and ended. */
export interface LoginParts {
  readonly starter: CommandStarter;
  readonly launches: OpenLaunches;
  readonly signal: AbortSignal;
  nextMark(): CommandMark;
}

/** The variables that the commands of an environment get. */
export interface CommandVariables {
  /** Returns the variables of a command, which are those of the login shell if `login` is given. */
  of(facts: Pick<CommandFacts, 'callId' | 'networkOff'>, login: Variables | undefined): Record<string, string>;
  /** Reads the variables of the login shell, once. Resolves to undefined when that fails; never rejects. */
  login(confinement: Confinement): Promise<Variables | undefined>;
  /** Resolves when no login shell runs. */
  settled(): Promise<void>;
}

const LOGIN_TIMEOUT_MS = 10_000;

export function createCommandVariables(settings: VariableSettings, parts: LoginParts): CommandVariables {
  const { threadId, version, commands, environmentPolicy, baseEnv } = settings;
  /** Variables that the policy lets through, by the variables that were inherited. */
  const passed = new Map<Variables, Readonly<Record<string, string>>>();
  let capturing: Promise<Variables | undefined> | undefined;
  let exited: Promise<void> | undefined;

  function passedVariables(login: Variables | undefined): Readonly<Record<string, string>> {
    const inherited = login ?? baseEnv;
    let variables = passed.get(inherited);
    if (variables === undefined) {
      // Variables that a login shell adds to a small environment were not inherited, so `inherit` does not apply to them.
      const policy = login === undefined ? environmentPolicy : { ...environmentPolicy, inherit: 'all' as const };
      variables = filterEnvironment(inherited, policy);
      passed.set(inherited, variables);
    }
    return variables;
  }

  return {
    of(facts, login) {
      const all = { threadId, version, ...facts, ...(commands ? { commands } : {}) };
      return commandEnvironment(passedVariables(login), all);
    },
    login(confinement) {
      const onStart = (exit: Promise<void>) => {
        exited = exit;
      };
      capturing ??= captureLogin(settings, parts, confinement, onStart).catch(() => undefined);
      return capturing;
    },
    async settled() {
      await exited;
    },
  };
}

/** Runs the login shell, confined as commands are: commands may be able to write to the profile. */
async function captureLogin(
  { shell, world, baseEnv, environmentPolicy }: VariableSettings,
  { starter, launches, signal, nextMark }: LoginParts,
  confinement: Confinement,
  onStart: (exited: Promise<void>) => void,
): Promise<Variables | undefined> {
  const separator = `variables-${world.uuid()}`;
  const argv = loginShellArgv(shell, separator);
  const launch = confinement.applies ? await confinement.launch(argv, '/', { offline: true }) : plainLaunch(argv);
  return captureLoginEnvironment({
    launch: launches.add(launch),
    spawn: starter.spawn,
    env: filterEnvironment(baseEnv, environmentPolicy),
    mark: nextMark(),
    separator,
    timeoutMs: LOGIN_TIMEOUT_MS,
    signal,
    onStart,
  });
}
