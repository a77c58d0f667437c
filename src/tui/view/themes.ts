import type { ColorRole, Line, SpanColor } from '../../text/span.ts';

/** Colours of meanings. A meaning without one has the terminal's own colour for it. */
export type Theme = { readonly [R in ColorRole]?: SpanColor };

/** The built-in themes. `terminal` leaves all colours to the terminal, which knows whether it is light or dark. */
export const THEMES: Readonly<Record<string, Theme>> = {
  terminal: {},
  blue: { accent: 4, code: 4, link: 4, type: 4, keyword: 5 },
  contrast: { accent: 14, added: 10, removed: 9, error: 9, keyword: 13, string: 10, number: 11, comment: 7, muted: 7 },
  'colour-blind': { added: 4, removed: 3, error: 3, string: 4, keyword: 5, accent: 6 },
};

/** Returns a row with the colours of a theme in place of the meanings. */
export function themed(line: Line, theme: Theme): Line {
  if (Object.keys(theme).length === 0) return line;
  return line.map((part) => {
    const { color } = part.style;
    const own = typeof color === 'string' ? theme[color] : undefined;
    return own === undefined ? part : { ...part, style: { ...part.style, color: own } };
  });
}
