import type { Line } from '../text/span.ts';
import { type LinkNames, lexBlock } from './lex-block.ts';
import { endMarkdown, type MarkdownBlock, type MarkdownPart, pushMarkdown, WHOLE_MARKDOWN } from './push-markdown.ts';
import { type RenderOptions, renderBlock } from './render-block.ts';

/** A line that defines an address. */
const DEFINITION = /^ {0,3}\[[^\]]+\]:/m;

/** Rows of a document that arrives in parts. */
export interface MarkdownRows {
  /** Adds a part of the document. Returns the rows of the blocks that are finished by it. */
  push(delta: string, options: RenderOptions): Line[];
  /** Returns the rows of the rest. */
  end(options: RenderOptions): Line[];
}

/** Returns the rows of a document as it arrives. An address that is defined later is not known before. */
export function createMarkdownRows(): MarkdownRows {
  let state = WHOLE_MARKDOWN;
  const renderer = createRenderer();
  return {
    push(delta, options) {
      const pushed = pushMarkdown(state, delta);
      state = pushed.state;
      return renderer.render(pushed.parts.flatMap(blockIn), options);
    },
    end: (options) => renderer.render(endMarkdown(state).flatMap(blockIn), options),
  };
}

/** Returns the rows of a whole document, which knows addresses that are defined at its end. */
export function renderMarkdown(text: string, options: RenderOptions): Line[] {
  const { state, parts } = pushMarkdown(WHOLE_MARKDOWN, text);
  const blocks = [...parts, ...endMarkdown(state)].flatMap(blockIn);
  const renderer = createRenderer();
  renderer.learn(blocks);
  return renderer.render(blocks, options);
}

const blockIn = (part: MarkdownPart): MarkdownBlock[] => (part.kind === 'block' ? [part.block] : []);

function createRenderer() {
  const names: LinkNames = {};
  let isEmpty = true;
  const learn = (blocks: readonly MarkdownBlock[]) => {
    for (const { source } of blocks) if (DEFINITION.test(source)) lexBlock(source, names);
  };
  return {
    /** Remembers the addresses that blocks define. */
    learn,
    render(blocks: readonly MarkdownBlock[], options: RenderOptions): Line[] {
      learn(blocks);
      const rows: Line[] = [];
      for (const block of blocks) {
        const shown = renderBlock(block, options, names);
        if (shown.length === 0) continue;
        if (!isEmpty && block.isApart) rows.push([]);
        rows.push(...shown);
        isEmpty = false;
      }
      return rows;
    },
  };
}
