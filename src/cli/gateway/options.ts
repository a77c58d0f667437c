import type { LoadOptions } from '../../config/load-options.ts';
import { OFFLINE_OPTION, withOffline } from '../offline-option.ts';
import { type Parsed, UsageError } from '../parse-options.ts';
import { ORIGINS } from '../wording.ts';
import type { GatewayUpstream } from './load-gateway.ts';

export const gatewayOptions = {
  upstream: { type: 'string', value: 'URL', help: 'Send everything to this server, regardless of [gateway]' },
  wire: { type: 'string', value: 'WIRE', help: 'Protocol of that server, such as responses or chat (default: auto)' },
  'upstream-key-env': { type: 'string', value: 'NAME', help: 'The variable with the key of that server' },
  model: { type: 'string', short: 'm', value: 'MODEL', help: 'The model to use for names that only Codex knows' },
  host: { type: 'string', value: 'HOST', help: 'Listen on this address (default: 127.0.0.1)' },
  port: { type: 'string', value: 'PORT', help: 'Listen on this port (default: 4141); 0 picks a free one' },
  'key-env': { type: 'string', multiple: true, value: 'NAME', help: 'A variable with a key that clients must send' },
  record: { type: 'string', value: 'DIR', help: 'Record every exchange with the servers in a file in this folder' },
  for: { type: 'string', value: 'CLIENT', help: 'Print the settings of a client for the gateway, and exit: codex' },
  json: { type: 'boolean', help: 'Print each exchange as a line of JSON' },
  ...OFFLINE_OPTION,
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  profile: { type: 'string', short: 'p', value: 'PROFILE', help: 'Use this profile' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const gatewayHelp = {
  usage: 'oxbow gateway [options]',
  about:
    'Serves /v1/responses, /v1/chat/completions and /v1/models in front of any model server. Translates where the\nserver speaks another protocol, and repairs what it gets wrong.',
  options: gatewayOptions,
  example: 'oxbow gateway --upstream http://localhost:8000/v1',
  more: {
    Signals: [
      'SIGHUP           reads config.toml again without interrupting exchanges',
      'SIGTERM, Ctrl-C  waits up to 30 seconds for running exchanges, then exits; a second signal exits at once',
    ],
  },
};

export type GatewayValues = Parsed<typeof gatewayOptions>['values'];

/** Returns the server that the command line names. Undefined without one. */
export function readUpstream(values: GatewayValues): GatewayUpstream | undefined {
  const { upstream: url, model, wire, 'upstream-key-env': keyEnv } = values;
  const stray = [wire === undefined ? [] : ['--wire'], keyEnv === undefined ? [] : ['--upstream-key-env']].flat();
  if (url === undefined && stray.length > 0) throw new UsageError(`${stray.join(' and ')} needs --upstream URL.`);
  if (url === undefined) return undefined;
  return {
    url,
    ...(wire === undefined ? {} : { wire }),
    ...(keyEnv === undefined ? {} : { keyEnv }),
    ...(model === undefined ? {} : { model }),
  };
}

/** Returns the options that the configuration is read with, also at each reload. */
export function readLoadOptions(values: GatewayValues): LoadOptions {
  const { host, port, model, profile, 'key-env': keyEnv } = values;
  const gateway = {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port: readPort(port) }),
    ...(keyEnv === undefined ? {} : { key_env: keyEnv }),
    ...(model === undefined ? {} : { model }),
  };
  return {
    origins: ORIGINS,
    overrides: withOffline(values.config, values.offline),
    settings: { gateway },
    ...(profile === undefined ? {} : { profile }),
  };
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`--port takes a number from 0 to 65535, not "${text}".`);
}
