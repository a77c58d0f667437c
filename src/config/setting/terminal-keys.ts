/** The keys of each action of the terminal. `[tui.keys]` of config.toml replaces the keys of single actions. */
export const DEFAULT_KEYS = {
  send: ['enter'],
  complete: ['tab'],
  new_line: ['shift+enter', 'alt+enter', 'ctrl+j'],
  back: ['escape'],
  stop: ['ctrl+c'],
  leave: ['ctrl+d'],
  take_back: ['alt+up'],
  search_history: ['ctrl+r'],
  editor: ['ctrl+g'],
  image: ['ctrl+v', 'alt+v'],
  transcript: ['ctrl+t'],
  open_folded: ['ctrl+o'],
  preset: ['shift+tab'],
  redraw: ['ctrl+l'],
  suspend: ['ctrl+z'],
  keys: ['f1'],
  up: ['up', 'ctrl+p'],
  down: ['down', 'ctrl+n'],
  left: ['left', 'ctrl+b'],
  right: ['right', 'ctrl+f'],
  word_left: ['alt+left', 'ctrl+left', 'alt+b'],
  word_right: ['alt+right', 'ctrl+right', 'alt+f'],
  line_start: ['home', 'ctrl+a'],
  line_end: ['end', 'ctrl+e'],
  start: ['ctrl+home', 'alt+<'],
  end: ['ctrl+end', 'alt+>'],
  delete_left: ['backspace', 'shift+backspace', 'ctrl+h'],
  delete_right: ['delete'],
  delete_word_left: ['ctrl+w', 'alt+backspace', 'ctrl+backspace'],
  delete_word_right: ['alt+d', 'ctrl+delete', 'alt+delete'],
  delete_line_start: ['ctrl+u'],
  delete_line_end: ['ctrl+k'],
  yank: ['ctrl+y'],
  yank_older: ['alt+y'],
  undo: ['ctrl+_', 'ctrl+/'],
  redo: ['alt+_', 'alt+/'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Keys without a character. */
const NAMED = new Set([
  ...['enter', 'tab', 'escape', 'backspace', 'delete', 'insert', 'up', 'down', 'left', 'right', 'home', 'end'],
  ...['page_up', 'page_down', ...Array.from({ length: 12 }, (_, index) => `f${index + 1}`)],
]);

const OTHER_NAMES: Readonly<Record<string, string>> = {
  esc: 'escape',
  return: 'enter',
  space: ' ',
  pageup: 'page_up',
  pagedown: 'page_down',
  del: 'delete',
};

/**
 * Returns the name of a key as the terminal writes it: modifiers in the order ctrl, alt, shift, then the key. Undefined if
 * there is no such key. A character needs Ctrl or Alt, since it could not be typed otherwise.
 */
export function readKeyName(text: string): string | undefined {
  const parts = text
    .trim()
    .toLowerCase()
    .split(/[+-](?=.)/);
  const last = parts.at(-1) ?? '';
  const own = OTHER_NAMES[last] ?? last;
  const held = parts.slice(0, -1);
  const [ctrl, alt, shift] = ['ctrl', 'alt', 'shift'].map((name) => held.includes(name));
  if (held.length !== [ctrl, alt, shift].filter(Boolean).length) return undefined;
  if (!NAMED.has(own) && ([...own].length !== 1 || !(ctrl || alt))) return undefined;
  // Terminals send one byte for both.
  const sent = ctrl && own === '/' ? '_' : own;
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${sent}`;
}
