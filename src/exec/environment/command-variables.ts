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
import { createSlowProfile } from './slow-profile.ts';

/** Settings of the variables that commands get. */
export interface VariableSettings {
  /** The user's shell, an absolute path. */
  readonly shell: string;
  readonly baseEnv: Variables;
  readonly environmentPolicy: ShellEnvironmentPolicy;
  /** Whether commands get the variables of a login shell: true by default. */
  readonly loginProfile?: boolean;
  /** Oxbow's home, where a slow profile is remembered. */
  readonly home?: string;
  readonly threadId: string;
  readonly version: string;
  readonly world: World;
  /** Our own programs that every command finds. */
  readonly commands?: OwnCommands;
  /** Called with a sentence for the user. */
  onNote?(note: string): void;
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
  /**
   * Reads the variables of the login shell, once. Resolves to undefined when that fails; never rejects. A shell that
   * could not be started is tried again by the next call.
   */
  login(confinement: Confinement): Promise<Variables | undefined>;
  /** Resolves when the variables were read or given up. A profile gets a little time to clean up after the abort. */
  ended(): Promise<void>;
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
    async login(confinement) {
      if (settings.loginProfile === false) return undefined;
      const onStart = (exit: Promise<void>) => {
        exited = exit;
      };
      capturing ??= captureLogin(settings, parts, confinement, onStart).catch(() => {
        capturing = undefined;
        return undefined;
      });
      return capturing;
    },
    async ended() {
      await capturing;
    },
    async settled() {
      await exited;
    },
  };
}

/** Runs the login shell, confined as commands are: commands may be able to write to the profile. */
async function captureLogin(
  settings: VariableSettings,
  { starter, launches, signal, nextMark }: LoginParts,
  confinement: Confinement,
  onStart: (exited: Promise<void>) => void,
): Promise<Variables | undefined> {
  const { shell, world, baseEnv, environmentPolicy, home } = settings;
  const slow = createSlowProfile({ home, shell, folder: baseEnv.HOME, now: world.now });
  if (slow.isKnown()) {
    settings.onNote?.(`The login profile of ${shell} is not run: ${TOO_SLOW} ${WAY_OUT}`);
    return undefined;
  }
  const separator = `variables-${world.uuid()}`;
  const argv = loginShellArgv(shell, separator);
  const made = confinement.applies ? await confinement.launch(argv, '/', { offline: true }) : plainLaunch(argv);
  // Spare sandboxes are for commands.
  const { sandbox: _, ...launch } = launches.add(made);
  const mark = nextMark();
  const env = filterEnvironment(baseEnv, environmentPolicy);
  return captureLoginEnvironment({
    start: (events) => starter.start({ launch, env, mark, cwd: '/', tty: false }, events),
    mark: mark.entry,
    separator,
    timeoutMs: LOGIN_TIMEOUT_MS,
    signal,
    onStart,
    onSlow() {
      slow.remember();
      settings.onNote?.(`The login profile of ${shell} was ended: ${TOO_SLOW} ${WAY_OUT}`);
    },
  });
}

const TOO_SLOW = `it takes longer than ${LOGIN_TIMEOUT_MS / 1000} seconds.`;
const WAY_OUT =
  'Commands have the variables of Oxbow instead. Make the profile faster; it is tried again when it changes, and after a day.';
