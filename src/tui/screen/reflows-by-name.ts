/** Names of a terminal, each where it is known. */
export interface TerminalNames {
  /** Its answer to the question for its name and version. */
  readonly version?: string | undefined;
  /** The variable TERM_PROGRAM. */
  readonly program?: string | undefined;
}

/** Terminals that wrap rows anew when they become narrower. Others, such as xterm, cut them. */
const REFLOWING =
  /^(?:xterm\.js|vscode|vte|kitty|wezterm|iterm|apple_terminal|ghostty|foot|konsole|contour|mintty|tmux|alacritty|rio|warp|hyper)/i;

/**
 * Reports whether a terminal is known to wrap rows that became too wide for it. The answer for the version counts more: a
 * variable may come from a terminal around this one.
 */
export const reflowsByName = ({ version, program }: TerminalNames): boolean => REFLOWING.test(version || program || '');
