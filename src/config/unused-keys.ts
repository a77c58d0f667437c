import { UserError } from '../base/errors.ts';
import type { UnusedKey } from './sources.ts';

/** The part of a configuration that is about keys without effect. */
interface UnusedKeys {
  readonly unused: readonly UnusedKey[];
  readonly ignoredKeys: readonly string[];
}

/**
 * Returns one sentence about all keys of Codex that have no effect, or none. Keys that guard something are left out, as
 * they stop a run, and so are those that only matter to the screens of Codex. `explain` names the place with advice.
 */
export function unusedKeysWarning(unused: readonly UnusedKey[], explain = 'docs/configuration.md'): string[] {
  const places = placesOf(unused.filter(({ guards, quiet }) => !guards && !quiet));
  if (places === undefined) return [];
  return [
    `These settings of Codex have no effect here: ${places}. ${explain} says what to do about each; ignored_keys hides this warning.`,
  ];
}

/** Returns the keys that only matter to the screens of Codex, with the files that they stand in. Undefined for none. */
export function quietKeys(unused: readonly UnusedKey[]): string | undefined {
  return placesOf(unused.filter(({ quiet }) => quiet));
}

/** Returns keys with the files that they stand in. Undefined for none. */
export function placesOf(keys: readonly Pick<UnusedKey, 'key' | 'origin'>[]): string | undefined {
  if (keys.length === 0) return undefined;
  const places = [...new Set(keys.map(({ origin }) => origin))].map((origin) => {
    const here = keys.filter((key) => key.origin === origin).map(({ key }) => key);
    return `${here.join(', ')} in ${origin}`;
  });
  return places.join('; ');
}

/** Returns sentences about each key that has no effect, and what to do about it. */
export function explainUnusedKeys({ unused, ignoredKeys }: UnusedKeys): string[] {
  const others = unused.filter(({ guards }) => !guards);
  return [
    ...others.map(({ key, origin, advice }) => `${key} in ${origin} has no effect. ${advice}`),
    ...missingGuards({ unused, ignoredKeys }),
  ];
}

/** Throws `UserError` when a key has no effect that would forbid something. */
export function requireGuards(config: UnusedKeys): void {
  const [text] = missingGuards(config);
  if (text !== undefined) throw new UserError('invalid_config', text);
}

/** Returns one text about all keys that guard something and have no effect, or none. */
function missingGuards({ unused, ignoredKeys }: UnusedKeys): string[] {
  const guards = unused.filter((key) => key.guards);
  if (guards.length === 0) return [];
  const places = guards.map(
    ({ key, origin, advice }) => `${key} in ${origin} guards something, but has no effect here. ${advice}`,
  );
  const entries = [...new Set([...ignoredKeys, ...guards.map(({ key }) => key)])].map((key) => JSON.stringify(key));
  return [
    `${[...new Set(places)].join(' ')} Nothing runs until you remove the key or set ignored_keys = [${entries.join(', ')}] in your config.toml.`,
  ];
}
