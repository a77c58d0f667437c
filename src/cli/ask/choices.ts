import type { Ask, OfferedScope } from '../../base/event.ts';
import type { ApprovalScope, PrefixLasts } from '../../base/policy.ts';
import { scriptIn } from './action-text.ts';

/** An answer that can be typed. */
export type AskChoice =
  | { readonly type: 'approve'; readonly key: string; readonly offered: OfferedScope }
  | { readonly type: 'decline' | 'edit' | 'show' | 'help'; readonly key: string };

const PREFIX_KEYS: Readonly<Record<PrefixLasts, string>> = { thread: 'p', project: 'j', always: 'w' };

const SCOPE_KEYS: { readonly [T in ApprovalScope['type']]: (scope: Extract<ApprovalScope, { type: T }>) => string } = {
  once: () => 'y',
  terminal: () => 't',
  thread: () => 's',
  tool: () => 'c',
  prefix: ({ lasts }) => PREFIX_KEYS[lasts],
};

/**
 * Returns the answers that a question accepts. An action that was not shown to its end cannot be approved: its end may be
 * the part that matters.
 */
export function choicesFor(ask: Ask, isCut: boolean): readonly AskChoice[] {
  const scopes = ask.scopes.map((offered) => ({ type: 'approve', key: keyOf(offered.scope), offered }) as const);
  return [
    ...(isCut ? [] : scopes),
    { type: 'decline', key: 'n' },
    ...(scriptIn(ask.action) === undefined ? [] : [{ type: 'edit', key: 'e' } as const]),
    ...(isCut ? [{ type: 'show', key: 'a' } as const] : []),
    { type: 'help', key: '?' },
  ];
}

function keyOf<S extends ApprovalScope>(scope: S): string {
  const key = SCOPE_KEYS[scope.type] as (scope: S) => string;
  return key(scope);
}

/** A choice, and the words that were typed after it. */
export interface TypedChoice {
  readonly choice: AskChoice;
  readonly words: string;
}

/** Returns the choice that a line stands for. Only a no takes words. Undefined: the line is not an answer. */
export function readChoice(line: string, choices: readonly AskChoice[]): TypedChoice | undefined {
  const [, key = '', words = ''] = /^\s*(\S+)\s*(.*?)\s*$/u.exec(line) ?? [];
  const wanted = LONG_KEYS[key.toLowerCase()] ?? key.toLowerCase();
  const choice = choices.find((one) => one.key === wanted);
  if (!choice || (words !== '' && choice.type !== 'decline')) return undefined;
  return { choice, words };
}

/** Words that people type instead of a letter. */
const LONG_KEYS: Readonly<Record<string, string>> = { yes: 'y', no: 'n', edit: 'e', all: 'a', help: '?' };
