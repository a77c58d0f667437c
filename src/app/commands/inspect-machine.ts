import { messageOf } from '../../base/errors.ts';
import type { Config } from '../../config/load-config.ts';
import { realWorld } from '../../config/real-world.ts';
import { type PromiseTrial, tryPromises } from '../../exec/environment/try-promises.ts';
import { probeFilter } from '../../exec/network/probe-filter.ts';
import { withheldVariables } from '../../exec/process/command-environment.ts';
import { programVersion } from '../../exec/process/program-version.ts';
import { loadBinding } from '../../exec/pty/load-binding.ts';
import { describeSandbox } from '../../exec/sandbox/describe-sandbox.ts';
import { findPrograms, trustedFolders } from '../../exec/sandbox/find-programs.ts';
import type { FoundSandbox } from '../../exec/sandbox/find-sandbox.ts';
import { loadSharp } from '../../tools/view-image/load-sharp.ts';
import { commandVariables } from '../thread/command-variables.ts';
import { lookForSandbox } from './run-in-sandbox.ts';

/** Programs and features of this machine that commands use. */
export interface MachineFacts {
  readonly sandbox: { readonly type: FoundSandbox['type'] /** Description for people. */; readonly text: string };
  /** The promises of the sandbox as they were tried; undefined without a sandbox, or where they could not be tried. */
  readonly promises: readonly PromiseTrial[] | undefined;
  /** Why `allowed_domains` cannot be enforced. Undefined when it can. */
  readonly noFilter: string | undefined;
  /** Version that each program reports. Undefined for a missing program. */
  readonly versions: { readonly [P in Program]: string | undefined };
  /** Why commands cannot have a terminal. Undefined when they can. */
  readonly noTerminals: string | undefined;
  /** Whether large images can be made smaller. */
  readonly fitsImages: boolean;
  /** Names of the variables that commands do not get because they look like credentials. */
  readonly withheld: readonly string[];
}

type Program = 'git' | 'bubblewrap' | 'perl';

/** Inspects the machine. Starts programs to read their versions. */
export async function inspectMachine(config: Config): Promise<MachineFacts> {
  const untrustedFolders = [config.cwd, ...config.policy.sandbox.writableRoots];
  const search = { path: `${config.env.PATH ?? ''}:/usr/bin:/bin`, untrustedFolders };
  const path = trustedFolders(search).join(':');
  const [found, git, bubblewrap, perl] = await Promise.all([
    lookForSandbox(config, config.policy.sandbox),
    programVersion(findPrograms('git', search)[0], ['--version'], path),
    programVersion(findPrograms('bwrap', search)[0], ['--version'], path),
    programVersion(findPrograms('perl', search)[0], ['-e', 'printf "perl %vd", $^V'], path),
  ]);
  return {
    sandbox: { type: found.type, text: describeSandbox(found) },
    promises: found.type === 'none' ? undefined : await trialOf(config),
    noFilter: await whyNoFilter(found),
    versions: { git, bubblewrap, perl },
    noTerminals: await loadBinding().then(() => undefined, messageOf),
    fitsImages: (await loadSharp()) !== undefined,
    withheld: withheldVariables(config.env, commandVariables(config)),
  };
}

function trialOf({ env, policy }: Config): Promise<readonly PromiseTrial[] | undefined> {
  const { backend } = policy.sandbox;
  return tryPromises({ env, backend, version: OXBOW_VERSION, world: realWorld() }).catch(() => undefined);
}

async function whyNoFilter(found: FoundSandbox): Promise<string | undefined> {
  if (found.type === 'bubblewrap') return probeFilter(found.program, found.userNamespace);
  if (found.type === 'seatbelt') return undefined;
  return 'only bubblewrap gives commands a network of their own';
}
