import type { LoadOptions } from '../../config/load-options.ts';
import { OFFLINE_OPTION, withOffline } from '../offline-option.ts';
import { type Parsed, UsageError } from '../parse-options.ts';
import { ORIGINS } from '../wording.ts';

/** Options that say where requests go, and how the configuration is read. Every verb that needs a server has them. */
export const serverOptions = {
  upstream: { type: 'string', value: 'URL', help: 'Send everything to this server, regardless of [gateway]' },
  provider: {
    type: 'string',
    value: 'NAME[/MODEL]',
    help: 'Send everything to this provider, regardless of [gateway]',
  },
  model: { type: 'string', short: 'm', value: 'MODEL', help: 'The model for names that only a client knows' },
  wire: { type: 'string', value: 'WIRE', help: 'Protocol of the server at --upstream (default: auto)' },
  'upstream-key-env': { type: 'string', value: 'NAME', help: 'The variable with the key of the server at --upstream' },
  ...OFFLINE_OPTION,
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  profile: { type: 'string', short: 'p', value: 'PROFILE', help: 'Use this profile' },
} as const;

export const HELP_OPTION = { help: { type: 'boolean', short: 'h', help: 'Show this text' } } as const;

export type ServerValues = Parsed<typeof serverOptions>['values'];

/** Returns the options that the configuration is read with, also at each reload. */
export function readLoadOptions(
  values: ServerValues,
  settings: NonNullable<LoadOptions['settings']> = {},
): LoadOptions {
  const { model, profile } = values;
  return {
    origins: ORIGINS,
    overrides: withOffline(values.config, values.offline),
    settings: { ...settings, gateway: { ...(model === undefined ? {} : { model }), ...settings.gateway } },
    ...(profile === undefined ? {} : { profile }),
  };
}

export const gatewayOptions = {
  ...serverOptions,
  host: { type: 'string', value: 'HOST', help: 'Listen on this address (default: 127.0.0.1)' },
  port: { type: 'string', value: 'PORT', help: 'Listen on this port (default: 4141); 0 picks a free one' },
  'key-env': { type: 'string', multiple: true, value: 'NAME', help: 'A variable with a key that clients must send' },
  record: { type: 'string', value: 'DIR', help: 'Record every exchange with the servers in a file in this folder' },
  for: { type: 'string', value: 'CLIENT', help: 'Print the settings of a client for the gateway, and exit' },
  write: { type: 'boolean', help: 'With --for: put them into the file of the client' },
  yes: { type: 'boolean', help: 'With --write: do not ask' },
  json: { type: 'boolean', help: 'Print each exchange as a line of JSON' },
  ...HELP_OPTION,
} as const;

export type GatewayValues = Parsed<typeof gatewayOptions>['values'];

/** Returns the load options of a gateway that listens. */
export function readGatewayOptions(values: GatewayValues): LoadOptions {
  const { host, port, 'key-env': keyEnv } = values;
  const gateway = {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port: readPort(port) }),
    ...(keyEnv === undefined ? {} : { key_env: keyEnv }),
  };
  return readLoadOptions(values, { gateway });
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`--port takes a number from 0 to 65535, not "${text}".`);
}
