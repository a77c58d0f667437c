import { readBareChannels } from './bare-channels.ts';
import { type Construct, type ConstructOutcome, PLAIN_TEXT, type Region, type ScannerState } from './construct.ts';
import type { Cursor } from './cursor.ts';
import { readArguments } from './dialects/parts/arguments-text.ts';
import { nameInBlock } from './dialects/parts/name-in-block.ts';
import { passBlock } from './dialects/parts/pass-block.ts';
import type { DialectReading } from './dialects/parts/reading.ts';
import { tagPattern } from './dialects/parts/tag-pattern.ts';
import { takeJsonClosing } from './dialects/parts/take-json-closing.ts';
import { takeWord } from './dialects/parts/take-word.ts';

const ENDS = ['<|end|>', '<|return|>', '<|call|>'];
const END_TAGS = tagPattern(ENDS);

/** Answers in channels, where the server left the marks of the channels in the text (D11, seen with gpt-oss). */
export const CHANNELS: readonly Construct[] = [
  {
    markers: ['<|start|>', '<|channel|>'],
    atStart: false,
    isShort: false,
    applies: ({ region, markdown }) => region.inChannel || !(markdown.inCode || markdown.afterQuote),
    read: readChannel,
  },
  {
    markers: ENDS,
    atStart: false,
    isShort: true,
    applies: ({ region }) => region.inChannel,
    *read(cursor) {
      for (const end of ENDS) if (yield* cursor.take(end)) break;
      return { type: 'switch', into: PLAIN_TEXT, repair: 'D11', newlines: 0 };
    },
  },
  {
    markers: ['analysis', 'commentary to='],
    atStart: true,
    isShort: false,
    applies: ({ channel, region, fresh, said }) => channel === 'content' && region === PLAIN_TEXT && fresh && !said,
    read: readBareChannels,
  },
];

/**
 * Reads `<|start|>assistant<|channel|>NAME to=functions.TOOL <|constrain|>json<|message|>`. Only the channel's name
 * must be there, and the recipient may follow the role.
 */
function* readChannel(cursor: Cursor, state: ScannerState): DialectReading<ConstructOutcome | undefined> {
  let role = '';
  if (yield* cursor.take('<|start|>')) {
    role = (yield* takeWord(cursor, '<\n')) ?? '';
    if (!ROLE.test(role)) return undefined;
  }
  if (!(yield* cursor.take('<|channel|>')) || !CHANNEL_LETTERS.test((yield* cursor.peek()) ?? '')) return undefined;
  const channel = CHANNEL.exec((yield* takeWord(cursor, '<\n')) ?? '');
  if (channel === null) return undefined;
  if (yield* cursor.take('<|constrain|>')) yield* takeWord(cursor, '<\n');
  if (!(yield* cursor.take('<|message|>'))) return undefined;
  const recipient = channel[2] ?? ROLE.exec(role)?.[1];
  if (recipient !== undefined) return yield* readCall(cursor, recipient, state);
  if (state.channel === 'reasoning') return undefined;
  return { type: 'switch', into: channel[1] === 'analysis' ? ANALYSIS : ANSWER, repair: 'D11', newlines: 0 };
}

const ROLE = /^assistant(?:\s+to=(\S+))?$/;
const CHANNEL = /^(analysis|commentary|final)(?:\s+to=(\S+))?(?:\s+\w+)?$/;
const CHANNEL_LETTERS = /[acf]/;

const ANALYSIS: Region = { type: 'reasoning', closers: [], inChannel: true };
const ANSWER: Region = { type: 'text', closers: [], inChannel: true };

function* readCall(
  cursor: Cursor,
  recipient: string,
  { tools }: ScannerState,
): DialectReading<ConstructOutcome | undefined> {
  const name = nameInBlock(cursor, recipient, tools);
  if (name === undefined) return undefined;
  const text = yield* readArguments(cursor, tools.get(name), ENDS);
  if (text === undefined) return yield* passBlock(cursor, END_TAGS, ENDS);
  const closed = yield* takeJsonClosing(cursor, ENDS);
  if (!closed && !cursor.jsonIsWhole) return yield* passBlock(cursor, END_TAGS, ENDS);
  return { type: 'calls', id: 'D11', kind: 'token', calls: [{ name, arguments: text }] };
}
