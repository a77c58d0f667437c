/** Splits a text into words, each with the space before it, as models stream it. */
export function words(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}

/** Splits a text into pieces of at most twelve characters, which may end anywhere. */
export function pieces(text: string): readonly string[] {
  return text.match(/.{1,12}/gsu) ?? [];
}
