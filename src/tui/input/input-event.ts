/** Something that came from the terminal. */
export type InputEvent =
  | { readonly type: 'key'; readonly key: Key }
  /** Text that was pasted. Its line ends are line feeds; other control characters are as they came. */
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'focus'; readonly focused: boolean }
  | { readonly type: 'reply'; readonly reply: TerminalReply };

/** A pressed key, named in the same way by all keyboard protocols. */
export interface Key {
  /**
   * `text` for a key that types `text`. Otherwise `enter`, `tab`, `escape`, `backspace`, `delete`, `insert`, `up`, `down`,
   * `left`, `right`, `home`, `end`, `page_up`, `page_down` or `f1` to `f12`, and with Ctrl or Alt the character itself:
   * `c`, `_`, or a space.
   */
  readonly name: string;
  /** Text that the key types; empty for other keys, and always with Ctrl or Alt. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

/** An answer of the terminal to a question that was written to it. */
export type TerminalReply =
  /** Place of the cursor, counted from 1. */
  | { readonly kind: 'cursor'; readonly row: number; readonly column: number }
  /** Flags of the kitty keyboard protocol that are on. */
  | { readonly kind: 'keyboard'; readonly flags: number }
  /** Name and version of the terminal. */
  | { readonly kind: 'version'; readonly text: string }
  /** Device attributes, which every terminal sends: the end of the replies to a probe. */
  | { readonly kind: 'attributes' }
  /** Background colour; each part is at most 255. */
  | { readonly kind: 'background'; readonly red: number; readonly green: number; readonly blue: number }
  /** State of a mode: 1 on, 2 off, 3 always on, 4 always off, 0 unknown to the terminal. */
  | { readonly kind: 'mode'; readonly mode: number; readonly state: number };
