/** Meanings that have a colour. The colours themselves are in `render-line.ts`. */
export type ColorRole =
  | 'accent'
  | 'added'
  | 'code'
  | 'comment'
  | 'error'
  | 'keyword'
  | 'link'
  | 'muted'
  | 'number'
  | 'removed'
  | 'string'
  | 'type';

/** A meaning, a number of the palette of 256 colours, or red, green and blue. */
export type SpanColor = ColorRole | number | readonly [red: number, green: number, blue: number];

/** Look of a text, as plain data. */
export interface SpanStyle {
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly inverse?: boolean;
  readonly color?: SpanColor;
  readonly background?: SpanColor;
  /** Address that the text leads to. */
  readonly link?: string;
}

/** A text with one style. The text has passed `visible`: it has no control characters except line feeds before wrapping. */
export interface Span {
  readonly text: string;
  readonly style: SpanStyle;
}

/** One row of a terminal, without its line feed. */
export type Line = readonly Span[];

export const PLAIN: SpanStyle = {};

/** Returns a span. */
export const span = (text: string, style: SpanStyle = PLAIN): Span => ({ text, style });

/** Returns the text of a row without its styles. */
export const lineText = (line: Line): string => line.map(({ text }) => text).join('');
