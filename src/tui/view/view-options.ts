import type { MarkdownBlock } from '../../markdown/push-markdown.ts';
import type { RenderOptions } from '../../markdown/render-block.ts';
import type { Line } from '../../text/span.ts';

/** The terminal that rows are made for. */
export interface ViewOptions {
  readonly columns: number;
  /** Folder that paths below it are shown relative to. */
  readonly cwd: string;
  /** `words`: prose is wrapped here, between words. `terminal`: prose is left to the terminal as well. */
  readonly wrap: 'words' | 'terminal';
  /** Whether the terminal has signs beyond ASCII. */
  readonly unicode: boolean;
  /** Whether every link can be opened by its text. */
  readonly hyperlinks: boolean;
  /** Whether the terminal has attributes such as bold. Without them the marks of Markdown stay. */
  readonly attributes: boolean;
  /**
   * Renders a block of Markdown. Absent until it is loaded, which the first frame does not wait for. Null: it could not be
   * loaded, and the source is shown.
   */
  readonly renderBlock?: BlockRenderer | null;
}

/** The function `renderBlock` of markdown/, which is loaded by `import()`. */
export type BlockRenderer = (block: MarkdownBlock, options: RenderOptions) => Line[];

/** Signs that rows begin with. */
export interface Signs {
  readonly user: string;
  readonly done: string;
  readonly current: string;
  readonly open: string;
  readonly more: string;
  readonly minus: string;
  readonly arrow: string;
  readonly dot: string;
}

const UNICODE: Signs = {
  user: '›',
  done: '✓',
  current: '▸',
  open: '○',
  more: '…',
  minus: '−',
  arrow: '→',
  dot: '·',
};

const ASCII: Signs = {
  user: '>',
  done: '[x]',
  current: '[>]',
  open: '[ ]',
  more: '...',
  minus: '-',
  arrow: '->',
  dot: '|',
};

/** Returns the signs of a terminal. */
export const signsOf = ({ unicode }: Pick<ViewOptions, 'unicode'>): Signs => (unicode ? UNICODE : ASCII);

/** Returns the cells that prose is wrapped to. */
export const proseWidth = ({ wrap, columns }: Pick<ViewOptions, 'wrap' | 'columns'>): number =>
  wrap === 'terminal' ? Infinity : Math.max(1, columns);
