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
  /** `key=value`, as after -c. */
  readonly overrides?: readonly string[];
  /** Settings by their keys in config.toml; they win over everything else. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly addDirs?: readonly string[];
  /** What holds for all users of the machine. Default: /etc/codex/config.toml. */
  readonly systemFile?: string;
}
