import type { TagPattern } from '../../cursor.ts';

/** The most characters of a name or of attributes in a tag. */
const MOST = 160;

/**
 * Returns the pattern of tags. A tag that ends in `=` or in a space must be followed by a name or the attribute `name`,
 * and by a bracket. Otherwise it is only part of a text.
 */
export function tagPattern(tags: readonly string[]): TagPattern {
  const longest = Math.max(...tags.map((tag) => tag.length + (isOpen(tag) ? MOST + 8 : 0)));
  return { tags: new RegExp(tags.map(sourceOf).join('|'), 'g'), longest };
}

function isOpen(tag: string): boolean {
  return tag.endsWith('=') || tag.endsWith(' ');
}

function sourceOf(tag: string): string {
  const literal = tag.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (!isOpen(tag)) return literal;
  return `${literal}${tag.endsWith(' ') ? ' {0,3}name ?=' : ''}[^<>\\n]{1,${MOST}}>`;
}
