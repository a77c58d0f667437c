import type { Env } from './home.ts';
import type { Settings } from './settings.ts';

/** Sources of a configuration. */
export interface LoadOptions {
  /** Environment variables. Default: those of this process. */
  readonly env?: Env;
  /** Further variables, such as a key. */
  readonly moreEnv?: Env;
  /**
   * Folder with config.toml, auth.json and threads, relative to the working folder. Beats the variables `OXBOW_HOME` and
   * `CODEX_HOME`.
   */
  readonly home?: string;
  /**
   * Whether the configuration comes from these options alone: no file of the machine, the home or the project is read,
   * and no variable of this process unless `env` passes it. With `home`, threads are stored there; otherwise no file is
   * written either.
   */
  readonly hermetic?: boolean;
  /** Working folder. Default: that of this process. */
  readonly cwd?: string;
  /** Profile to use. Beats `profile` in config.toml. */
  readonly profile?: string;
  /** Settings as `key=value`: a dotted key and a TOML value. */
  readonly overrides?: readonly string[];
  /** Settings by their keys in config.toml. They beat all other sources. */
  readonly settings?: Settings;
  /** Names of the sources in messages. */
  readonly origins?: OptionOrigins;
  /** Folders that commands may write to besides the working folder. */
  readonly addDirs?: readonly string[];
  /** Whether a setting that neither Oxbow nor Codex knows is an error. Otherwise a warning names it. */
  readonly strict?: boolean;
  /** Whether config.toml of the home, its hooks and the files of profiles are left out. Keys are still read there. */
  readonly ignoreUserFile?: boolean;
  /** File with the settings for all users of the machine. Default: /etc/codex/config.toml. */
  readonly systemFile?: string;
}

/** Names of the options in messages about settings. */
export interface OptionOrigins {
  /** Stands before the key of an override. */
  readonly override: string;
  /** Name of the option `settings`. */
  readonly settings: string;
  /** Command that shows and accepts the files of a project, which follows as an argument. Absent: there is none. */
  readonly accept?: string;
  /** Command that says what to do about keys without effect. Absent: a page of the documentation says it. */
  readonly explain?: string;
}
