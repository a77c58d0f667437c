import type { InputEvent, TerminalReply } from './input-event.ts';

/**
 * Returns the event of a control string, or undefined if it says nothing of use. `introducer` is the byte after Escape:
 * `]` for OSC, `P` for DCS. A character of `body` stands for one byte.
 */
export function readString(introducer: string, body: string): InputEvent | undefined {
  const found = introducer === ']' ? background(body) : introducer === 'P' ? version(body) : undefined;
  return found && { type: 'reply', reply: found };
}

/** Reads `11;rgb:ffff/ffff/ffff`, in which each part has one to four digits. */
function background(body: string): TerminalReply | undefined {
  const parts = /^11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})(?:\/[\da-f]{1,4})?$/i.exec(body);
  if (parts === null) return undefined;
  const [red = 0, green = 0, blue = 0] = parts
    .slice(1, 4)
    .map((digits) => Math.round((Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255));
  return { kind: 'background', red, green, blue };
}

/** Reads `>|name version`, the answer to XTVERSION. */
function version(body: string): TerminalReply | undefined {
  if (!body.startsWith('>|')) return undefined;
  const text = Buffer.from(body.slice(2), 'latin1').toString('utf8');
  return { kind: 'version', text: text.replace(/\p{Cc}/gu, '') };
}
