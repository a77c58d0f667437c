import type { Line } from '../text/span.ts';
import { createMarkdown } from './blocks.ts';
import { type LinkNames, lexBlock } from './lex-block.ts';
import { type RenderOptions, renderBlock } from './render-block.ts';

/** A line that defines an address. */
const DEFINITION = /^ {0,3}\[[^\]]+\]:/m;

/** Returns the rows of a whole document. Unlike a document that arrives, it knows addresses that are defined at its end. */
export function renderMarkdown(text: string, options: RenderOptions): Line[] {
  const stream = createMarkdown();
  const blocks = [...stream.push(text), ...stream.end()];
  const names: LinkNames = {};
  for (const { source } of blocks) if (DEFINITION.test(source)) lexBlock(source, names);
  const rows: Line[] = [];
  for (const block of blocks) {
    const shown = renderBlock(block, options, names);
    if (shown.length === 0) continue;
    if (rows.length > 0 && block.isApart) rows.push([]);
    rows.push(...shown);
  }
  return rows;
}
