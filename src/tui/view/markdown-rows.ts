import type { MarkdownBlock } from '../../markdown/push-markdown.ts';
import { expandTabs } from '../../text/cells.ts';
import { type Line, span } from '../../text/span.ts';
import { visible } from '../../text/visible.ts';
import { wrapSpans } from '../../text/wrap.ts';
import { proseWidth, type ViewOptions } from './view-options.ts';

/** Returns the rows of a block of an answer. Without the renderer its source is shown. */
export function markdownRows(block: MarkdownBlock, options: ViewOptions): Line[] {
  const width = proseWidth(options);
  const { attributes, hyperlinks, renderBlock } = options;
  if (renderBlock) return renderBlock(block, { width, attributes, links: attributes && hyperlinks });
  const lines = visible(block.source.trimEnd()).split('\n');
  return lines.flatMap((line) => wrapSpans([span(expandTabs(line))], width));
}
