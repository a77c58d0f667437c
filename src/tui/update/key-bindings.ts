import { DEFAULT_KEYS } from '../../config/setting/terminal-keys.ts';
import type { Key } from '../input/input-event.ts';

/** Actions by the name of their key, such as `ctrl+t`. */
export type KeyBindings = ReadonlyMap<string, KeyAction>;

export type KeyAction = keyof typeof DEFAULT_KEYS;

/** Returns the name of a key: its modifiers in the order ctrl, alt, shift, then its own name. */
export function keyName({ name, text, ctrl, alt, shift }: Key): string {
  const own = name === 'text' ? text : name;
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift && name !== 'text' ? 'shift+' : ''}${own}`;
}

/**
 * Returns the bindings with the user's keys in place of the defaults of their actions. A key that the user binds to an
 * action is taken from the action that has it by default.
 */
export function bindKeys(own: Readonly<Record<string, readonly string[]>> = {}): KeyBindings {
  const bindings = new Map<string, KeyAction>();
  for (const action of ACTIONS) for (const key of own[action] ?? []) bindings.set(key, action);
  const taken = new Set(bindings.keys());
  for (const action of ACTIONS) {
    if (own[action] !== undefined) continue;
    for (const key of DEFAULT_KEYS[action]) if (!taken.has(key)) bindings.set(key, action);
  }
  return bindings;
}

export const ACTIONS = Object.keys(DEFAULT_KEYS) as readonly KeyAction[];
