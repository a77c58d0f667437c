import type { Line } from '../text/span.ts';
import { createMarkdown, type MarkdownBlock } from './blocks.ts';
import { type LinkNames, lexBlock } from './lex-block.ts';
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
  const stream = createMarkdown();
  const renderer = createRenderer();
  return {
    push: (delta, options) => renderer.render(stream.push(delta), options),
    end: (options) => renderer.render(stream.end(), options),
  };
}

/** Returns the rows of a whole document, which knows addresses that are defined at its end. */
export function renderMarkdown(text: string, options: RenderOptions): Line[] {
  const stream = createMarkdown();
  const blocks = [...stream.push(text), ...stream.end()];
  const renderer = createRenderer();
  renderer.learn(blocks);
  return renderer.render(blocks, options);
}

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
