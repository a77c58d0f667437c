import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UserError } from '../base/errors.ts';
import { environmentLayers } from './environment-layers.ts';
import { type Env, findHome, findUserFolder } from './home.ts';
import type { LoadOptions, OptionOrigins } from './load-options.ts';
import { parseOverride } from './parse-toml.ts';
import { profileLayers } from './profile-layers.ts';
import { findProjectRoot, findTrust, type Project } from './project.ts';
import { readProjectLayers } from './project-layers.ts';
import { readTomlFile } from './read-toml-file.ts';
import type { Layer } from './setting/layers.ts';
import { readSettings, type Settings } from './setting/settings-reader.ts';
import { spellOut } from './spell-out.ts';
import { unknownKeysWarning } from './unknown-keys.ts';

/** Where settings come from, read and put in order. */
export interface Sources {
  readonly env: Env;
  readonly home: string;
  readonly cwd: string;
  /** What `~` stands for. */
  readonly userFolder: string;
  readonly project: Project;
  /** Lowest first: system, user, profile, project, environment, overrides, options. */
  readonly layers: readonly Layer[];
  readonly settings: Settings;
  readonly warnings: readonly string[];
}

const SYSTEM_FILE = '/etc/codex/config.toml';

export function readSources(options: LoadOptions): Sources {
  const inherited = options.env ?? process.env;
  const env = options.moreEnv ? { ...inherited, ...options.moreEnv } : inherited;
  const home = resolve(findHome(env));
  const userFolder = resolve(findUserFolder(env));
  const cwd = existingFolder(resolve(options.cwd ?? process.cwd()));
  const files = [...readTomlFile(options.systemFile ?? SYSTEM_FILE), ...readTomlFile(join(home, 'config.toml'))];
  const given = givenLayers(options, env, cwd);
  const chosen = readSettings([...files, ...given], userFolder).string('profile');
  const profile = chosen === undefined ? [] : profileLayers(chosen, [...files, ...given], home);
  // Whether a project is trusted is never its own decision.
  const root = findProjectRoot(cwd);
  const trust = findTrust(readSettings([...files, ...profile, ...given], userFolder), cwd, root);
  const brought = readProjectLayers({ cwd, root, trust, home, userFolder }, [...files, ...profile]);
  const layers = [...files, ...profile, ...brought.layers, ...given];
  return {
    env,
    home,
    cwd,
    userFolder,
    project: { root, trusted: trust === 'trusted' },
    layers,
    settings: readSettings(layers, userFolder),
    warnings: [...brought.warnings, ...unknownKeysWarning(layers)],
  };
}

const ORIGINS: OptionOrigins = { override: 'override', settings: 'options' };

function givenLayers(options: LoadOptions, env: Env, folder: string): Layer[] {
  const { overrides = [], settings, profile, origins = ORIGINS } = options;
  const flags = { ...settings, ...(profile === undefined ? {} : { profile }) };
  return [
    ...environmentLayers(env, folder),
    ...overrides.map((override) => spellOut({ folder, ...parseOverride(override, origins.override) })),
    spellOut({ origin: origins.settings, folder, table: flags }),
  ];
}

function existingFolder(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UserError('not_found', `${path} is not a folder.`);
  return path;
}
