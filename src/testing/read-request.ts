import { isFromUser, typedText } from '../base/is-from-user.ts';
import { type ContentPart, type Item, isCall, isCallOutput, type MessageItem, type Role } from '../base/item.ts';
import type { ModelRequest } from '../base/model.ts';
import { declaredTools, undeclaredParts } from '../wire/lowering/declared-tools.ts';
import { toFunctionForm } from '../wire/lowering/function-form.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { REPLY_WIRES, STANDARD_WIRE } from './wires/index.ts';

/** The text of a message in a request. */
export interface RequestMessage {
  readonly role: Role;
  readonly text: string;
}

/** A call in the history of a request. */
export interface RequestCall {
  readonly callId: string;
  readonly name: string;
  /** JSON text. The input of a custom tool is the member `input`, as on a wire without custom tools. */
  readonly arguments: string;
}

/** The output of a call in the history of a request. */
export interface RequestOutput {
  readonly callId: string;
  readonly text: string;
}

/**
 * Returns the instructions of a request. Developer messages before all other items count as instructions: some wires
 * join them.
 */
export function instructionsOf(request: RecordedRequest): string {
  const { instructions, input } = decode(request);
  const leading = input.slice(0, leadingCount(input)).filter(isMessage);
  return [instructions, ...leading.map(({ content }) => textOf(content))].filter((text) => text !== '').join('\n\n');
}

/** Returns the messages of a request, without its instructions, in their order. */
export function textsOf(request: RecordedRequest): RequestMessage[] {
  const { input } = decode(request);
  return input
    .slice(leadingCount(input))
    .filter(isMessage)
    .map(({ role, content }) => ({ role, text: textOf(content) }));
}

/** Returns the texts that the user wrote, without context that the agent sends in the user's name. */
export function typedTextsOf(request: RecordedRequest): string[] {
  return decode(request).input.filter(isFromUser).map(typedText);
}

/** Returns the calls in the history of a request, in their order. */
export function callsOf(request: RecordedRequest): RequestCall[] {
  return decode(request)
    .input.filter(isCall)
    .map((call) => ({ callId: call.call_id, ...toFunctionForm(call) }));
}

/** Returns the outputs of calls in the history of a request, in their order. */
export function outputsOf(request: RecordedRequest): RequestOutput[] {
  return decode(request)
    .input.filter(isCallOutput)
    .map(({ call_id, output }) => ({ callId: call_id, text: typeof output === 'string' ? output : textOf(output) }));
}

/** Returns the names of the tools that a request offers. A tool that the server runs has the name of its kind. */
export function toolsOf(request: RecordedRequest): string[] {
  const { tools } = decode(request);
  return [...declaredTools(tools).keys(), ...tools.flatMap(undeclaredParts)];
}

/** Decodes a request by the wire of its path. Throws `UserError` for a body that is not a request. */
function decode({ path, body }: RecordedRequest): ModelRequest {
  const plain = path.split('?')[0] ?? '';
  const wire = Object.values(REPLY_WIRES).find((one) => plain.endsWith(one.path)) ?? STANDARD_WIRE;
  return wire.decodeRequest(body);
}

function leadingCount(input: readonly Item[]): number {
  const first = input.findIndex((item) => !isMessage(item) || (item.role !== 'developer' && item.role !== 'system'));
  return first < 0 ? input.length : first;
}

function textOf(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => ('text' in part && typeof part.text === 'string' ? [part.text] : [])).join('\n\n');
}

function isMessage(item: Item): item is MessageItem {
  return item.type === 'message';
}
