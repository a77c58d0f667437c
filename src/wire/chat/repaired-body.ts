import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import { withField, withoutFields } from '../fields/edit-fields.ts';
import { fieldsOf, isSet } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';
import { parsedJson } from '../lowering/parsed-json.ts';
import { addCall, type CallBodies, type CallBody } from './encode-body.ts';

/**
 * Puts the texts, the calls and the finish signals of the repaired chunks into a whole answer. All other fields of the
 * answer stay.
 */
export function repairedBody(answer: Fields, frames: readonly Frame[]): Fields | undefined {
  const body = Array.isArray(answer.choices) ? answer : fieldsOf(answer.data);
  if (!Array.isArray(body.choices)) return undefined;
  const { said, usage } = read(frames);
  const choices = body.choices.map((choice: unknown) => {
    const repaired = isRecord(choice) ? said.get(choice.index ?? 0) : undefined;
    return repaired === undefined ? choice : editChoice(fieldsOf(choice), repaired);
  });
  return { ...body, choices, ...(!isSet(body.usage) && usage !== undefined && { usage }) };
}

/** One choice, put together from its chunks. */
interface SaidChoice {
  readonly texts: Record<Text, string>;
  readonly calls: CallBodies;
  /** Whether the chunks still have the call of the old form. */
  hasOldCall: boolean;
  finish: unknown;
}

/** Texts of a message that a repair may change. */
const TEXTS = ['content', 'reasoning_content', 'reasoning'] as const;
type Text = (typeof TEXTS)[number];

function read(frames: readonly Frame[]): { readonly said: ReadonlyMap<unknown, SaidChoice>; readonly usage: unknown } {
  const said = new Map<unknown, SaidChoice>();
  let usage: unknown;
  for (const chunk of frames.map(frameValue).filter(isRecord)) {
    usage = chunk.usage ?? usage;
    for (const choice of Array.isArray(chunk.choices) ? chunk.choices.filter(isRecord) : []) {
      const number = choice.index ?? 0;
      const known = said.get(number) ?? { texts: noTexts(), calls: new Map(), hasOldCall: false, finish: null };
      said.set(number, known);
      known.finish = choice.finish_reason ?? known.finish;
      addDelta(known, fieldsOf(choice.delta));
    }
  }
  return { said, usage };
}

const noTexts = () => ({ content: '', reasoning_content: '', reasoning: '' });

function addDelta(said: SaidChoice, delta: Fields): void {
  for (const name of TEXTS) {
    const text = delta[name];
    if (typeof text === 'string') said.texts[name] += text;
  }
  for (const piece of Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isRecord) : []) {
    addCall(said.calls, piece);
  }
  said.hasOldCall ||= isSet(delta.function_call);
}

function editChoice(choice: Fields, said: SaidChoice): Fields {
  const { finish } = said;
  const calls = [...said.calls.values()].filter((call) => finish !== 'length' || isWhole(call));
  const message = editMessage(fieldsOf(choice.message), said, calls);
  return withField(withField(choice, 'message', message), 'finish_reason', finish);
}

/** Reports whether a call was not cut off. */
function isWhole(call: CallBody): boolean {
  const { arguments: input } = fieldsOf(call.function);
  return typeof input !== 'string' || parsedJson(input) !== undefined;
}

function editMessage(message: Fields, { texts, hasOldCall }: SaidChoice, calls: readonly CallBody[]): Fields {
  let edited = message;
  for (const name of TEXTS) edited = editText(edited, name, texts[name], calls.length > 0);
  if (!hasOldCall) edited = withoutFields(edited, ['function_call']);
  const numbered = Array.isArray(message.tool_calls) && message.tool_calls.some((call) => isSet(fieldsOf(call).index));
  const listed = numbered ? calls.map((call, index) => ({ ...call, index })) : calls;
  return calls.length === 0 ? withoutFields(edited, ['tool_calls']) : { ...edited, tool_calls: listed };
}

function editText(message: Fields, name: Text, text: string, hasCalls: boolean): Fields {
  const old = message[name];
  const isSame = typeof old === 'string' ? text === old : text === '' && !isSet(old);
  if (isSame) return message;
  if (text !== '') return { ...message, [name]: text };
  return name === 'content' ? { ...message, content: hasCalls ? null : '' } : withoutFields(message, [name]);
}
