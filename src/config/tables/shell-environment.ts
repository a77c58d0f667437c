import type { Settings } from '../setting/settings-reader.ts';

/** `[shell_environment_policy]`: which variables a command gets. */
export interface ShellEnvironmentSettings {
  readonly inherit: 'all' | 'core' | 'none';
  /** Whether variables whose names look like secrets (KEY, SECRET, TOKEN) are passed on. */
  readonly ignoreDefaultExcludes: boolean;
  readonly exclude: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  readonly includeOnly: readonly string[];
}

export function readShellEnvironment(settings: Settings): ShellEnvironmentSettings {
  const table = 'shell_environment_policy';
  return {
    inherit: settings.oneOf(['all', 'core', 'none'], table, 'inherit') ?? 'all',
    ignoreDefaultExcludes: settings.boolean(table, 'ignore_default_excludes') ?? false,
    exclude: settings.strings(table, 'exclude') ?? [],
    set: settings.stringTable(table, 'set'),
    includeOnly: settings.strings(table, 'include_only') ?? [],
  };
}
