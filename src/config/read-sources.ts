import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UserError } from '../base/errors.ts';
import { expandShorthand } from './expand-shorthand.ts';
import { type Env, findHome, findUserFolder } from './home.ts';
import type { LoadOptions, OptionOrigins } from './load-options.ts';
import { parseOverride } from './parse-toml.ts';
import { profileLayers } from './profile-layers.ts';
import { findProjectRoot, findTrust } from './project.ts';
import { projectFolders } from './project-folders.ts';
import { readProjectLayers } from './project-layers.ts';
import { readTomlFile } from './read-toml-file.ts';
import type { Layer } from './setting/layers.ts';
import { createSettingsReader, type SettingsReader } from './setting/settings-reader.ts';
import { SETTINGS } from './settings-list.ts';
import type { Sources } from './sources.ts';
import { REPORTING_SETTINGS } from './tables/reporting.ts';
import { PROFILE_SETTINGS } from './tables/sources.ts';
import { findKeysWithoutEffect } from './unknown-keys.ts';
import { unusedKeysWarning } from './unused-keys.ts';

const SYSTEM_FILE = '/etc/codex/config.toml';

/** Reads all sources of settings. Throws `UserError` for a source that cannot be read. */
export function readSources(options: LoadOptions): Sources {
  const { hermetic = false, ignoreUserFile = false, systemFile } = options;
  const inherited = options.env ?? (hermetic ? {} : process.env);
  const env = options.moreEnv ? { ...inherited, ...options.moreEnv } : inherited;
  const userFolder = resolve(findUserFolder(env));
  const cwd = existingFolder(options.cwd === undefined ? workingFolder() : resolve(options.cwd));
  const home = options.home === undefined ? resolve(findHome(env)) : resolve(cwd, options.home);
  const fileHome = hermetic || ignoreUserFile ? null : home;
  const files = hermetic ? (systemFile ? readTomlFile(systemFile) : []) : readUserLayers(fileHome, systemFile);
  const readerOf = (layers: readonly Layer[], trusted = false) => createSettingsReader(layers, { userFolder, trusted });
  const given = givenLayers(options, env, cwd, (layer) => checkValues(readerOf([layer])));
  const chosen = PROFILE_SETTINGS.profile.given(readerOf([...files, ...given]));
  const profile = chosen === undefined ? [] : profileLayers(chosen, [...files, ...given], fileHome);
  // Whether a project is trusted is never its own decision.
  const root = hermetic ? null : findProjectRoot(cwd);
  const { level: trust, main } = findTrust(readerOf([...files, ...profile, ...given]), cwd, root);
  const trusted = trust === 'trusted';
  const folders = hermetic ? { atRoot: [], below: [] } : projectFolders({ cwd, root, home, userFolder });
  const accept = options.origins?.accept;
  const facts = { folders, root: root ?? cwd, trust, main, home, accept };
  const projectLayers = readProjectLayers(facts, [...files, ...profile]);
  const layers = [...files, ...profile, ...projectLayers.layers, ...given];
  const ignored = REPORTING_SETTINGS.ignoredKeys.given(readerOf(layers)) ?? [];
  const { unused, unknown } = findKeysWithoutEffect(layers, ignored);
  if (options.strict && unknown !== undefined) throw new UserError('invalid_config', `Unknown settings: ${unknown}.`);
  return {
    env,
    home,
    hermetic,
    usesHome: !hermetic || options.home !== undefined,
    cwd,
    userFolder,
    project: {
      root,
      trusted,
      isDecided: trust !== undefined,
      sandboxByTrust: readerOf(layers).found(['sandbox_mode']) === undefined,
    },
    projectRules: projectLayers.rules,
    layers,
    settings: readerOf(layers, trusted),
    unused,
    warnings: [
      ...projectLayers.warnings,
      ...(unknown === undefined ? [] : [`Unknown settings were ignored: ${unknown}.`]),
      ...unusedKeysWarning(unused, options.origins?.explain),
    ],
  };
}

/** Reads the settings for all users of the machine, and those of the user. Without a home there are only the first. */
export function readUserLayers(home: string | null, systemFile = SYSTEM_FILE): Layer[] {
  const own = home === null ? [] : [...readTomlFile(join(home, 'config.toml')), ...hooksLayer(home)];
  return [...readTomlFile(systemFile), ...own];
}

/** Returns a layer for the hooks that Codex reads from a file of their own. Its contents do not matter. */
function hooksLayer(folder: string): Layer[] {
  const origin = join(folder, 'hooks.json');
  return existsSync(origin) ? [{ origin, folder, table: { hooks: {} } }] : [];
}

const ORIGINS: OptionOrigins = { override: 'override', settings: 'options' };

/** Returns the layers of variables and options. `check` gets each override. */
function givenLayers(options: LoadOptions, env: Env, folder: string, check: (override: Layer) => void): Layer[] {
  const { overrides = [], settings, profile, origins = ORIGINS } = options;
  const flags = { ...settings, ...(profile === undefined ? {} : { profile }) };
  const overriding = overrides.map((text) => expandShorthand({ folder, ...parseOverride(text, origins.override) }));
  overriding.forEach(check);
  return [
    ...variableLayers(env, folder),
    ...overriding,
    expandShorthand({ origin: origins.settings, folder, table: flags }),
  ];
}

/** Throws `UserError` for a wrong value. Nothing else reads a value that an option hides. */
function checkValues(reader: SettingsReader): void {
  for (const setting of SETTINGS) if (!setting.key.includes('*')) setting.given(reader);
}

/** Returns a layer for each setting whose variable is set and not empty. */
function variableLayers(env: Env, folder: string): Layer[] {
  return SETTINGS.flatMap(({ key, variable }) => {
    const value = variable === undefined ? undefined : env[variable];
    return value ? [{ origin: `the variable ${variable}`, folder, table: { [key]: value } }] : [];
  });
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new UserError('not_found', 'The working folder was deleted. Change to one that exists and start again.');
  }
}

function existingFolder(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UserError('not_found', `${path} is not a folder.`);
  return path;
}
