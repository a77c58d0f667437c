import { expect, test } from 'vitest';
import { createInputParser } from './create-input-parser.ts';
import type { InputEvent } from './input-event.ts';

const ESC = '\x1b';
const parse = (text: string, encoding: BufferEncoding = 'utf8') =>
  createInputParser().push(Buffer.from(text, encoding));

/** Returns events in short: keys as `ctrl-alt-shift-name` or as their text in quotes. */
const short = (events: readonly InputEvent[]) => events.map(shortEvent);

function shortEvent(event: InputEvent): string {
  if (event.type === 'paste') return `paste ${JSON.stringify(event.text)}`;
  if (event.type === 'focus') return event.focused ? 'focus' : 'blur';
  if (event.type === 'reply') return JSON.stringify(event.reply);
  const { name, text, ctrl, alt, shift } = event.key;
  const held = `${ctrl ? 'ctrl-' : ''}${alt ? 'alt-' : ''}${shift ? 'shift-' : ''}`;
  return name === 'text' ? `${held}"${text}"` : `${held}${name}`;
}

test.each<[string, string, string[]]>([
  ['text', 'aé日😀', ['"a"', '"é"', '"日"', '"😀"']],
  ['Enter', '\r', ['enter']],
  ['Ctrl-J is not Enter', '\n', ['ctrl-j']],
  ['Ctrl letters', '\x01\x03\x04\x0f\x1a', ['ctrl-a', 'ctrl-c', 'ctrl-d', 'ctrl-o', 'ctrl-z']],
  ['other Ctrl keys', '\x00\x1c\x1d\x1e\x1f', ['ctrl- ', 'ctrl-\\', 'ctrl-]', 'ctrl-^', 'ctrl-_']],
  ['Tab, Shift-Tab', `\t${ESC}[Z`, ['tab', 'shift-tab']],
  ['Backspace of both kinds', '\x7f\b', ['backspace', 'backspace']],
  ['arrows', `${ESC}[A${ESC}[B${ESC}[C${ESC}[D`, ['up', 'down', 'right', 'left']],
  ['arrows of the application mode', `${ESC}OA${ESC}OD`, ['up', 'left']],
  [
    'arrows with modifiers',
    `${ESC}[1;5C${ESC}[1;2A${ESC}[1;3D${ESC}[1;8B`,
    ['ctrl-right', 'shift-up', 'alt-left', 'ctrl-alt-shift-down'],
  ],
  [
    'arrows of rxvt',
    `${ESC}[a${ESC}Od${ESC}[3$${ESC}[3^${ESC}[3@`,
    ['shift-up', 'ctrl-left', 'shift-delete', 'ctrl-delete', 'ctrl-shift-delete'],
  ],
  ['Alt as a second Escape', `${ESC}${ESC}[A${ESC}${ESC}OB`, ['alt-up', 'alt-down']],
  ['Home and End', `${ESC}[H${ESC}[F${ESC}[1~${ESC}[4~${ESC}OH`, ['home', 'end', 'home', 'end', 'home']],
  [
    'editing keys',
    `${ESC}[2~${ESC}[3~${ESC}[5~${ESC}[6~${ESC}[3;5~`,
    ['insert', 'delete', 'page_up', 'page_down', 'ctrl-delete'],
  ],
  [
    'F keys',
    `${ESC}OP${ESC}OR${ESC}OS${ESC}[15~${ESC}[24~${ESC}[13~${ESC}[R${ESC}[[A`,
    ['f1', 'f3', 'f4', 'f5', 'f12', 'f3', 'f3', 'f1'],
  ],
  ['F keys with modifiers', `${ESC}[1;2P${ESC}O5Q${ESC}[15;2~`, ['shift-f1', 'ctrl-f2', 'shift-f5']],
  ['Alt letters', `${ESC}b${ESC}F${ESC}é`, ['alt-b', 'alt-shift-f', 'alt-é']],
  ['Alt with other keys', `${ESC}\r${ESC}\x7f${ESC}\x03${ESC} `, ['alt-enter', 'alt-backspace', 'ctrl-alt-c', 'alt- ']],
  ['keypad of the application mode', `${ESC}Oq${ESC}Ok${ESC}OM`, ['"1"', '"+"', 'enter']],
  ['kitty: Shift-Enter, Ctrl-Enter', `${ESC}[13;2u${ESC}[13;5u`, ['shift-enter', 'ctrl-enter']],
  ['kitty: Escape, Ctrl-C, Ctrl-J', `${ESC}[27u${ESC}[99;5u${ESC}[106;5u`, ['escape', 'ctrl-c', 'ctrl-j']],
  ['kitty: Ctrl-Shift and Alt', `${ESC}[99;6u${ESC}[98;3u`, ['ctrl-shift-c', 'alt-b']],
  ['kitty: Caps Lock and Num Lock do not matter', `${ESC}[99;69u${ESC}[13;130u`, ['ctrl-c', 'shift-enter']],
  [
    'kitty: text',
    `${ESC}[97;2u${ESC}[97:65;2u${ESC}[97;;228u${ESC}[49:33;2u`,
    ['shift-"A"', 'shift-"A"', '"ä"', 'shift-"!"'],
  ],
  ['kitty: text that is no text', `${ESC}[97;;27u`, ['"a"']],
  [
    'kitty: keypad',
    `${ESC}[57399u${ESC}[57408u${ESC}[57413u${ESC}[57414u${ESC}[57419u`,
    ['"0"', '"9"', '"+"', 'enter', 'up'],
  ],
  ['kitty: functional keys', `${ESC}[57352u${ESC}[57364u${ESC}[57375;5u`, ['up', 'f1', 'ctrl-f12']],
  ['kitty: keys without a use', `${ESC}[57358u${ESC}[57441u${ESC}[57376u${ESC}[99;9u`, []],
  ['kitty: releases are no keys, repeats are', `${ESC}[99;5:3u${ESC}[1;1:3A${ESC}[99;5:2u`, ['ctrl-c']],
  ['kitty: Ctrl-[ and Ctrl-/ as without it', `${ESC}[91;5u${ESC}[47;5u${ESC}[45;6u`, ['escape', 'ctrl-_', 'ctrl-_']],
  [
    'modifyOtherKeys',
    `${ESC}[27;2;13~${ESC}[27;5;106~${ESC}[27;6;67~${ESC}[27;3;98~`,
    ['shift-enter', 'ctrl-j', 'ctrl-shift-c', 'alt-b'],
  ],
  ['focus', `${ESC}[I${ESC}[O`, ['focus', 'blur']],
  [
    'bracketed paste',
    `${ESC}[200~a\r\nb\rc\x07${ESC}[A${ESC}[201~x`,
    [`paste ${JSON.stringify(`a\nb\nc\x07${ESC}[A`)}`, '"x"'],
  ],
  ['the end of a paste that did not begin', `${ESC}[201~x`, ['"x"']],
  ['a paste without brackets', 'one\rtwo\tx\r', ['paste "one\\ntwo\\tx\\n"']],
  ['text and Enter in one read', 'ab\r', ['"a"', '"b"', 'enter']],
  ['Enter held', '\r\r', ['enter', 'enter']],
  ['Enter and a sequence in one read', `\r${ESC}[A`, ['enter', 'up']],
  ['a paste between sequences', `${ESC}[Aa\rb${ESC}[B`, ['up', 'paste "a\\nb"', 'down']],
  [
    'unknown sequences',
    `${ESC}[?1;2;3x${ESC}[<0;1;2M${ESC}[M !!${ESC}]52;c;YWJj${ESC}\\${ESC}_Gi=1${ESC}\\${ESC}P1$r0m${ESC}\\${ESC}[99;1Xy`,
    ['"y"'],
  ],
  ['two Escapes and a character', `${ESC}${ESC}a`, ['escape', 'alt-a']],
  ['a sequence inside a sequence', `${ESC}[1;${ESC}[A`, ['up']],
  ['a control character inside a sequence', `${ESC}[1;\x03`, ['ctrl-c']],
  ['a control character ends a string', `${ESC}]0;x\x03y`, ['ctrl-c', '"y"']],
  ['control characters of UTF-8', '\u0085\u009bx', ['"x"']],
])('%s', (_, text, expected) => {
  expect(short(parse(text))).toEqual(expected);
});

test.each([
  ['says that it knows the mode', `${ESC}[?2004;1$y`],
  ['says that the mode is off', `${ESC}[?2004;2$y`],
  ['is tmux', `${ESC}P>|tmux 3.3a${ESC}\\`],
  ['has marked a paste', `${ESC}[200~x${ESC}[201~`],
])('lines that come in one read are typed where the terminal %s', (_, sign) => {
  const parser = createInputParser();
  // Input before the sign may come from before the mode was on.
  expect(short(parser.push(Buffer.from(`a\rb${sign}`))).at(0)).toBe('paste "a\\nb"');
  expect(short(parser.push(Buffer.from('a\rb\r')))).toEqual(['"a"', 'enter', '"b"', 'enter']);
});

test.each([`${ESC}[?2004;0$y`, `${ESC}[?2004;4$y`, `${ESC}[?2026;1$y`, `${ESC}P>|screen 4.9${ESC}\\`])(
  'they may be a paste after %j',
  (sign) => {
    expect(short(parse(`${sign}a\rb`)).at(-1)).toBe('paste "a\\nb"');
  },
);

test.each<[string, InputEvent[]]>([
  [`${ESC}[12;40R`, [{ type: 'reply', reply: { kind: 'cursor', row: 12, column: 40 } }]],
  [`${ESC}[1;2R`, [{ type: 'reply', reply: { kind: 'cursor', row: 1, column: 2 } }]],
  [`${ESC}[?1u`, [{ type: 'reply', reply: { kind: 'keyboard', flags: 1 } }]],
  [`${ESC}P>|XTerm(390) é${ESC}\\`, [{ type: 'reply', reply: { kind: 'version', text: 'XTerm(390) é' } }]],
  [`${ESC}[?62;22c`, [{ type: 'reply', reply: { kind: 'attributes' } }]],
  [
    `${ESC}]11;rgb:ffff/8080/0000\x07`,
    [{ type: 'reply', reply: { kind: 'background', red: 255, green: 128, blue: 0 } }],
  ],
  [`${ESC}]11;rgb:f/80/0${ESC}\\`, [{ type: 'reply', reply: { kind: 'background', red: 255, green: 128, blue: 0 } }]],
  [`${ESC}[?2026;2$y`, [{ type: 'reply', reply: { kind: 'mode', mode: 2026, state: 2 } }]],
  [`${ESC}[>1;10;0c`, []],
])('%j is a reply', (text, expected) => {
  expect(parse(text)).toEqual(expected);
});

test.each<[string, string[]]>([
  [ESC, ['escape']],
  [ESC + ESC, ['escape', 'escape']],
  [`${ESC}[`, ['alt-[']],
  [`${ESC}O`, ['alt-shift-o']],
  [`${ESC}]`, ['alt-]']],
])('%j waits for the next byte', (text, expected) => {
  const parser = createInputParser();
  expect(parser.push(Buffer.from(text))).toEqual([]);
  expect(parser.pending).toBe(true);
  expect(short(parser.flush())).toEqual(expected);
  expect(parser.pending).toBe(false);
  expect(short(parser.push(Buffer.from('x')))).toEqual(['"x"']);
});

test('the beginning of a longer sequence waits without a limit', () => {
  const parser = createInputParser();
  expect(parser.push(Buffer.from(`${ESC}[1;`))).toEqual([]);
  expect(parser.pending).toBe(false);
  expect(parser.flush()).toEqual([]);
  expect(short(parser.push(Buffer.from('5C')))).toEqual(['ctrl-right']);
});

test('invalid UTF-8 is one U+FFFD, as in TextDecoder', () => {
  expect(short(parse('a\xe2\x82b\xffc\xc3\x1b[A', 'latin1'))).toEqual(['"a"', '"�"', '"b"', '"�"', '"c"', '"�"', 'up']);
});

test('a paste of many reads costs time in proportion to its size', () => {
  const parser = createInputParser();
  const line = Buffer.from(`${'x'.repeat(63)}\n`);
  parser.push(Buffer.from(`${ESC}[200~`));
  for (let at = 0; at < 64_000; at += 1) parser.push(line);
  const events = parser.push(Buffer.from(`${ESC}[201~`));
  expect(events).toEqual([{ type: 'paste', text: line.toString().repeat(64_000) }]);
});
