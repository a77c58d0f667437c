import { expandTabs } from '../text/cells.ts';
import { type Line, span } from '../text/span.ts';
import { visible } from '../text/visible.ts';
import { type CodeState, colourLine, languageOf, START } from './colour-code.ts';

/** A fence that is given line by line, as plain data. */
export interface OpenFence {
  /** Marks that begin and end the code. */
  readonly mark: string;
  /** Words after the mark, of which the first names the language. */
  readonly info: string;
  /** Spaces before the mark, which the lines of code lose too. */
  readonly indent: number;
  readonly colours: CodeState;
}

/** Returns the fence that a line opens. */
export function openFence(line: string): OpenFence {
  const [, spaces = '', mark = '', info = ''] = /^( *)(`+|~+)(.*)$/.exec(line) ?? [];
  return { mark, info: info.trim(), indent: spaces.length, colours: START };
}

/** Returns the row of the mark that begins or ends a fence. */
export function fenceRow({ mark, info }: OpenFence, end: 'open' | 'close'): Line {
  return [span(mark + (end === 'open' ? visible(info.replace(/\t/g, ' ')) : ''), { color: 'muted' })];
}

/** Returns the row of a line of code, and the fence with the colours that the next line begins with. */
export function codeRow(fence: OpenFence, line: string): { readonly row: Line; readonly fence: OpenFence } {
  const code = line.replace(new RegExp(`^ {0,${fence.indent}}`), '');
  const { spans, state } = colourLine(expandTabs(visible(code)), languageOf(fence.info), fence.colours);
  return { row: spans, fence: state === fence.colours ? fence : { ...fence, colours: state } };
}
