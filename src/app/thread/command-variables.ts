import type { Provider } from '../../base/provider.ts';
import type { Config } from '../../config/load-config.ts';

/** Variables that hold no secrets and that commands need. */
const NEEDED = 'PATH SHELL TMPDIR TEMP TMP HOME LANG LC_ALL LC_CTYPE LOGNAME USER'.split(' ');

/**
 * Returns which variables commands get, as configured. The default excludes also cover variables with secrets under any
 * name: keys and headers of providers, and keys of the gateway's clients.
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
