/** Reports whether a header may have this name. */
export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

/** Reports whether a text contains a character that no header may contain, such as a line break. */
export function isUnsendable(text: string): boolean {
  return UNSENDABLE.test(text);
}

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;
