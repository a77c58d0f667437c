/** A text in words, each with the space before it, as models stream it. */
export function words(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}

/** A text in pieces of at most twelve characters, wherever they end. */
export function pieces(text: string): readonly string[] {
  return text.match(/.{1,12}/gsu) ?? [];
}
