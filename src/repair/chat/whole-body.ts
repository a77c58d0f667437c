import { isRecord } from '../../base/json-schema.ts';
import { saysSomething } from '../../wire/chat/inspect.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { isSet } from '../field-values.ts';

/** Reports whether a value is a whole answer in place of a chunk (F13). `isFirst`: no chunk came before it. */
export function isWholeBody({ object, choices }: Fields, isFirst: boolean): boolean {
  if (object === CHUNK || !Array.isArray(choices)) return false;
  return choices.some((choice) => isRecord(choice) && isWholeChoice(choice, isFirst && object === WHOLE));
}

/** Reports whether a choice is whole. `isNamed`: its answer says that it is whole. Some streams say so of each chunk. */
function isWholeChoice({ message, delta, finish_reason }: Fields, isNamed: boolean): boolean {
  if (isRecord(delta)) return isNamed && !saysSomething({ delta }) && saysSomething({ delta: message });
  return isRecord(message) || (isNamed && isSet(finish_reason));
}

/** Returns the chunks of a stream with the same answer. */
export function chunksOf({ choices, usage, ...head }: Fields): readonly Fields[] {
  const chunk = (fields: Fields): Fields => ({ ...head, object: CHUNK, ...fields });
  const chunks = (Array.isArray(choices) ? choices : [])
    .filter(isRecord)
    .flatMap((choice) => choiceSteps(choice).map((step) => chunk({ choices: [step] })));
  return isSet(usage) ? [...chunks, chunk({ choices: [], usage })] : chunks;
}

const CHUNK = 'chat.completion.chunk';
const WHOLE = 'chat.completion';

function choiceSteps({ message, finish_reason, ...choice }: Fields): Fields[] {
  const step = (delta: Fields, finish: unknown = null): Fields => ({ ...choice, delta, finish_reason: finish });
  const deltas = messageSteps(isRecord(message) ? message : {}).map((delta) => step(delta));
  // An answer may have no finish signal: the end mark decides then.
  return isSet(finish_reason) ? [...deltas, step({}, finish_reason)] : deltas;
}

const REASONING = ['reasoning_content', 'reasoning', 'reasoning_details'];

function messageSteps({ content, tool_calls, function_call, ...message }: Fields): Fields[] {
  const fields = Object.entries(message).filter(([, value]) => isSet(value));
  const steps: Fields[] = [
    { role: 'assistant', ...Object.fromEntries(fields.filter(([name]) => !REASONING.includes(name))) },
    Object.fromEntries(fields.filter(([name]) => REASONING.includes(name))),
    isSet(content) && content !== '' ? { content } : {},
    isSet(function_call) ? { function_call } : {},
    ...callSteps(tool_calls),
  ];
  return steps.filter((delta) => Object.keys(delta).length > 0);
}

/** Returns the deltas of calls. In a whole answer the position of a call is its index. */
function callSteps(calls: unknown): Fields[] {
  if (!Array.isArray(calls)) return [];
  if (calls.length === 0) return [{ tool_calls: calls }];
  return calls.map((call: unknown, index) => ({ tool_calls: [isRecord(call) ? { ...written(call), index } : call] }));
}

/** Writes null arguments as a text. In a stream null means nothing; in a whole answer it stands for arguments. */
function written(call: Fields): Fields {
  const form = call.function;
  return isRecord(form) && form.arguments === null ? { ...call, function: { ...form, arguments: 'null' } } : call;
}
