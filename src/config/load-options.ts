import type { Env } from './home.ts';

export interface LoadOptions {
  /** Default: the environment of this process. */
  readonly env?: Env;
  /** Variables beside those, such as a key. */
  readonly moreEnv?: Env;
  /** Default: the working directory of this process. */
  readonly cwd?: string;
  /** The profile to use, whatever `profile` says in config.toml. */
  readonly profile?: string;
  /** `key=value`: a dotted key and a TOML value. */
  readonly overrides?: readonly string[];
  /** Settings by their keys in config.toml; they win over everything else. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** How messages call where a setting comes from. */
  readonly origins?: OptionOrigins;
  readonly addDirs?: readonly string[];
  /** What holds for all users of the machine. Default: /etc/codex/config.toml. */
  readonly systemFile?: string;
}

export interface OptionOrigins {
  /** Stands before the key of an override. */
  readonly override: string;
  readonly settings: string;
}
