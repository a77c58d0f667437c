import type { Provider } from '../../base/provider.ts';
import type { Config } from '../../config/load-config.ts';

/** Nobody keeps a secret in these, and commands need them. */
const NEEDED = 'PATH SHELL TMPDIR TEMP TMP HOME LANG LC_ALL LC_CTYPE LOGNAME USER'.split(' ');

/**
 * Which variables commands get: as configured, and unless the user wants it so, none that a provider is given its key or
 * its headers by, or that clients of the gateway must know, whatever their names are.
 */
export function commandVariables(
  { shellEnvironment, modelProviders, gateway }: Config,
  provider: Provider,
): Config['shellEnvironment'] {
  if (shellEnvironment.ignoreDefaultExcludes) return shellEnvironment;
  const ofProviders = [provider, ...Object.values(modelProviders)].flatMap(({ envKey, envHeaders = {} }) => [
    ...(envKey === undefined ? [] : [envKey]),
    ...Object.values(envHeaders),
  ]);
  const secret = [...ofProviders, ...gateway.keyEnv].filter((name) => !NEEDED.includes(name));
  return { ...shellEnvironment, exclude: [...new Set([...shellEnvironment.exclude, ...secret])] };
}
