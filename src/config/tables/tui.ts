import { UserError } from '../../base/errors.ts';
import { FLAG, isStrings, type Kind, oneOf, parsed, TEXT } from '../setting/kinds.ts';
import { type FoundValue, wrongValue } from '../setting/layers.ts';
import { setting, type ValuesOf } from '../setting/setting.ts';
import { DEFAULT_KEYS, readKeyName } from '../setting/terminal-keys.ts';

/** Keys by action: one key, or a list of keys. Two actions never have the same key. */
const KEY_MAP: Kind<Readonly<Record<string, readonly string[]>>> = {
  expected: 'a key such as "ctrl+t" or "alt+enter", or a list of keys',
  read(reader, path) {
    const actions = new Map<string, string>();
    const entries = reader.keys(path).map((name) => {
      const found = reader.found([...path, name]);
      if (found === undefined) return [name, []] as const;
      if (!Object.hasOwn(DEFAULT_KEYS, name)) throw unknownName([...path, name], Object.keys(DEFAULT_KEYS), found);
      const keys = readKeys([...path, name], found);
      for (const key of keys) {
        const other = actions.get(key) ?? name;
        if (other !== name) throw sharedKey(key, [...path, other], [...path, name], found);
        actions.set(key, name);
      }
      return [name, keys] as const;
    });
    return Object.fromEntries(entries);
  },
};

function readKeys(path: readonly string[], found: FoundValue): readonly string[] {
  const { value } = found;
  const texts = typeof value === 'string' ? [value] : value;
  if (!isStrings(texts)) throw wrongValue(path, KEY_MAP.expected, found);
  return texts.map((text) => {
    const name = readKeyName(text);
    if (name === undefined) throw wrongValue(path, KEY_MAP.expected, { ...found, value: text });
    return name;
  });
}

const unknownName = (path: readonly string[], names: readonly string[], { layer }: FoundValue) =>
  new UserError(
    'invalid_config',
    `${path.join('.')} (${layer.origin}) does not exist. There are: ${names.join(', ')}.`,
  );

const sharedKey = (key: string, one: readonly string[], two: readonly string[], { layer }: FoundValue) =>
  new UserError(
    'invalid_config',
    `${one.join('.')} and ${two.join('.')} have the same key ${key} (${layer.origin}). Give it to one of them.`,
  );

/** The meanings that have a colour. */
export const COLOR_ROLES = [
  ...(['accent', 'added', 'code', 'comment', 'error', 'keyword', 'link', 'muted'] as const),
  ...(['number', 'removed', 'string', 'type'] as const),
];

/** Names of the first eight colours of a terminal, in their order. */
export const COLOR_NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

const COLOR = new RegExp(
  `^\\s*(#[\\da-f]{6}|\\d\\d?|1\\d\\d|2[0-4]\\d|25[0-5]|(bright[ -])?(${COLOR_NAMES.join('|')}))\\s*$`,
  'i',
);

/** Colours by meaning. */
const COLOR_MAP: Kind<Readonly<Record<string, string>>> = {
  expected: 'a string such as "blue", "bright-blue", "244" or "#00ff7f"',
  read(reader, path) {
    const entries = reader.keys(path).map((name) => {
      const found = reader.found([...path, name]);
      if (found !== undefined && !(COLOR_ROLES as readonly string[]).includes(name))
        throw unknownName([...path, name], COLOR_ROLES, found);
      if (found !== undefined && !(typeof found.value === 'string' && COLOR.test(found.value)))
        throw wrongValue([...path, name], COLOR_MAP.expected, found);
      return [
        name,
        String(found?.value ?? '')
          .trim()
          .toLowerCase(),
      ] as const;
    });
    return Object.fromEntries(entries);
  },
};

/** True, false, or a list of events as in Codex, which means true unless it is empty. */
const NOTIFICATIONS = parsed('true or false', ({ value }) =>
  isStrings(value) ? value.length > 0 : typeof value === 'boolean' ? value : undefined,
);

export const TUI_SETTINGS = {
  /** Whether [the terminal](terminal.md) only appends whole lines, for screen readers. `ACCESSIBLE` in the environment does the same. */
  plain: setting('tui.plain', FLAG, { default: false }),
  /** Wrapping of texts: `words` breaks rows between words, `terminal` leaves it to the terminal. */
  wrap: setting('tui.wrap', oneOf('words', 'terminal'), { default: 'words' }),
  /** Name of the theme: `terminal`, `blue`, `contrast`, `colour-blind`, or `own` for `tui.colors`. */
  theme: setting('tui.theme', TEXT, { default: 'terminal' }),
  /** Colours of the theme `own` by meaning, such as `accent = "blue"`: a name, a number of the palette, or `#rrggbb`. */
  colors: setting('tui.colors.*', COLOR_MAP, { default: {} }),
  /** Whether a bell and a notification come when a turn has ended or a question waits while the terminal has no focus. */
  notifications: setting('tui.notifications', NOTIFICATIONS, { default: true }),
  /** Keys by action, such as `transcript = "ctrl+x"` ([the actions](terminal.md#keys)). */
  keys: setting('tui.keys.*', KEY_MAP, { default: {} }),
};

/** Settings of the interactive terminal. */
export interface TuiConfig extends ValuesOf<typeof TUI_SETTINGS> {}
