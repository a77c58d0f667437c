// These look at each character: a regular expression takes longer for texts as short as headers.

/** Reports whether a header may have this name. */
export function isHeaderName(name: string): boolean {
  for (let at = 0; at < name.length; at++) if (NAME_CODES[name.charCodeAt(at)] !== 1) return false;
  return name !== '';
}

/** Reports whether a text contains a character that no header may contain, such as a line break. */
export function isUnsendable(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== TAB) || code === DELETE || code > 0xff) return true;
  }
  return false;
}

/** Reports whether all characters of a text are of ASCII. */
export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > DELETE) return false;
  return true;
}

const TAB = 0x09;
const DELETE = 0x7f;

const NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_!#$%&'*+.^`|~-";
/** Has a 1 at the code of each character that a name may contain. */
const NAME_CODES = new Uint8Array(128);
for (const character of NAME_CHARACTERS) NAME_CODES[character.charCodeAt(0)] = 1;
