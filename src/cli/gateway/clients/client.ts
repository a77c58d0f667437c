import type { Env } from '../../../config/home.ts';
import { changed } from '../../../config/set-setting.ts';

/** Facts that a client needs to use a gateway. */
export interface GatewayFacts {
  /** Address without a path, such as `http://127.0.0.1:4141`. */
  readonly url: string;
  /** Variable with the key. Undefined when the gateway asks for none. */
  readonly keyEnv: string | undefined;
  /** Models that the client may ask for, the usual one first. Empty if the names of the client will do. */
  readonly models: readonly string[];
}

/** A program, or a library, that can use a gateway. */
export interface GatewayClient {
  readonly name: string;
  /** Description in a few words. */
  readonly about: string;
  /** Names of its programs. */
  readonly programs: readonly string[];
  /** Whether its settings name a model: always, only if one is chosen, or never. */
  readonly model: 'needed' | 'optional' | 'unused';
  /** Whether its requests cannot have a key. */
  readonly sendsNoKey?: true;
  setup(facts: GatewayFacts, env: Env): ClientSetup;
  /**
   * Returns the way to start a program so that it uses the gateway and no file of the user is changed. Absent where the
   * client reads its files only.
   */
  launch?(setup: ClientSetup): ClientLaunch;
}

/** Settings that make a client use a gateway. */
export interface ClientSetup {
  /** Settings in a file of the client. */
  readonly file?: ClientFile;
  /** ClientVariables of its environment. A value such as `$NAME` stands for the value of another variable. */
  readonly variables?: ClientVariables;
  /** Anything else to do, a sentence each. */
  readonly notes?: readonly string[];
}

export type ClientVariables = Readonly<Record<string, string>>;

export type ClientFile =
  | { readonly path: string; readonly format: 'toml' | 'json'; readonly entries: readonly ClientEntry[] }
  /** The whole text of a file. Such a file cannot be changed, only made. */
  | { readonly path: string; readonly format: 'yaml'; readonly text: string };

/** A value of a file, by the names of the tables that it is in and its own. */
export interface ClientEntry {
  readonly path: readonly string[];
  readonly value: string | boolean | Readonly<Record<string, unknown>>;
}

/** Additions to the command line and the environment of a program. */
export interface ClientLaunch {
  /** Arguments that follow its name. */
  readonly args?: readonly string[];
  readonly variables: ClientVariables;
  /** A flag that names a file with settings, and the value in the file. It follows the arguments. */
  readonly settings?: { readonly flag: string; readonly value: unknown };
}

/** A key for clients that insist on one where the gateway asks for none. */
export const ANY_KEY = 'oxbow';

/** Returns the key in the variables of a client. */
export function keyFor({ keyEnv }: GatewayFacts): string {
  return keyEnv === undefined ? ANY_KEY : `$${keyEnv}`;
}

/** Starts a client with its variables. */
export function withVariables({ variables = {} }: ClientSetup): ClientLaunch {
  return { variables };
}

/** Returns entries as one object. */
export function objectOf(entries: readonly ClientEntry[]): Readonly<Record<string, unknown>> {
  return entries.reduce((object, { path, value }) => changed(object, path, value), {});
}
