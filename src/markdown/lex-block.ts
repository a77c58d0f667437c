import { Lexer, type Links, type Token } from 'marked';

/** Addresses of a document by the names that it defines for them. */
export type LinkNames = Links;

/** More than a person writes in one block. Lexing a longer one could take time that grows with the square of its length. */
const MOST_CHARS = 40_000;

/** Quotes and lists that begin on one line, deeper than the lexer can follow. */
const TOO_DEEP = /^[ \t]*(?:>[ \t]*|(?:[*+-]|\d{1,9}[.)])[ \t]+){50}/m;

/**
 * Returns the tokens of a block. `names` has the addresses that earlier blocks define, and gets those of this one. A block
 * that cannot be lexed within bounds is one paragraph of plain text.
 */
export function lexBlock(source: string, names: LinkNames): Token[] {
  if (source.length > MOST_CHARS && !/^ {0,3}(?:```|~~~)/.test(source)) return plainTokens(source);
  if (TOO_DEEP.test(source)) return plainTokens(source);
  const lexer = new Lexer();
  lexer.tokens.links = names;
  try {
    return lexer.lex(source);
  } catch {
    // The lexer gives up when it makes no progress, which would be a fault of its own.
    return plainTokens(source);
  }
}

function plainTokens(source: string): Token[] {
  return [{ type: 'paragraph', raw: source, text: source, tokens: [{ type: 'escape', raw: source, text: source }] }];
}
