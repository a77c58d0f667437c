import type { Config } from '../../config/load-config.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the environment, plus every other secret of the gateway under a name that marks it as secret. Logs and
 * recordings are redacted with it, because a variable of any name may hold a key.
 */
export function secretVariables({ env, gateway, modelProviders }: Config, keyEnv: string | undefined): Variables {
  const providers = Object.values(modelProviders);
  const names = [keyEnv, ...gateway.keyEnv, ...providers.map((provider) => provider.envKey)];
  const values = [
    ...names.map((name) => (name === undefined ? undefined : env[name]?.trim())),
    ...providers.flatMap(({ bearerToken, headers = {}, envHeaders = {} }) => [
      bearerToken,
      ...Object.values(headers),
      ...Object.values(envHeaders).map((name) => env[name]?.trim()),
    ]),
  ];
  return { ...env, ...Object.fromEntries(values.map((value, n) => [`OXBOW_SECRET_${n}`, value])) };
}
