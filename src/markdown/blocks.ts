import { visibleText } from '../base/visible-text.ts';
import { createScanner } from './scan-lines.ts';

/** A part of a document that no later text changes. */
export interface MarkdownBlock {
  /** Source of the block, without the blank lines before and after it. */
  readonly source: string;
  /** Whether a blank line stands before the block, in the document or because the block before ends like code. */
  readonly isApart: boolean;
}

/** The end of a document that may still change. */
export interface OpenBlock extends MarkdownBlock {
  /** `fence` for code, whose lines stay as they are. */
  readonly kind: 'fence' | 'list' | 'text';
}

/** A document that arrives in parts. */
export interface MarkdownStream {
  /** Adds a part of the document. Returns the blocks that are finished by it. */
  push(delta: string): MarkdownBlock[];
  /** Returns the rest of the document as it is now. */
  open(): OpenBlock;
  /** Returns the last block, if the document does not end with a finished one. */
  end(): MarkdownBlock[];
}

/**
 * Returns a document that is split into blocks while it arrives. Every line is looked at once, so the time depends on the
 * length of the document and not on the number of parts. The blocks do not depend on how the document was split.
 */
export function createMarkdown(): MarkdownStream {
  const scanner = createScanner();
  let lines = '';
  let isApart = false;
  /** The last line, which may go on. */
  let partial = '';
  let blanks = '';

  function finish(): MarkdownBlock[] {
    const block = { source: lines, isApart };
    lines = '';
    isApart = false;
    return block.source === '' ? [] : [block];
  }

  function addLine(row: string): MarkdownBlock[] {
    // A carriage return inside a line would be one more line to the lexer.
    const line = row.replace(/\r$/, '').replace(/\r/g, visibleText);
    const isBlank = line.trim() === '';
    const verdict = scanner.see(line);
    const finished = verdict.endsBefore ? finish() : [];
    if (isBlank && (lines === '' || verdict.endsAfter)) {
      // Blank lines between blocks belong to neither.
      if (verdict.endsAfter) finished.push(...finish());
      isApart = true;
      blanks = '';
      return finished;
    }
    if (verdict.endsBefore && blanks !== '') isApart = true;
    else lines += blanks;
    blanks = '';
    if (isBlank && !verdict.isKept) blanks = `${line}\n`;
    else lines += `${line}\n`;
    if (!verdict.endsAfter) return finished;
    finished.push(...finish());
    isApart = true;
    return finished;
  }

  return { push, open: () => ({ source: lines + blanks + partial, isApart, kind: scanner.kind() }), end };

  function push(delta: string): MarkdownBlock[] {
    const rows = (partial + delta).split('\n');
    partial = rows.pop() ?? '';
    return rows.flatMap((row) => addLine(row));
  }

  function end(): MarkdownBlock[] {
    const finished = partial === '' ? [] : addLine(partial);
    partial = '';
    return [...finished, ...finish()];
  }
}
