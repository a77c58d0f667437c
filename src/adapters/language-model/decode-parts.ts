import type { Item } from '../../base/item.ts';
import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import type { Usage } from '../../base/usage.ts';
import { fieldsOf, wordOf } from '../../wire/fields/lenient-fields.ts';
import { type DeclaredTool, declaredTools } from '../../wire/lowering/declared-tools.ts';
import { fromFunctionForm, toolName } from '../../wire/lowering/function-form.ts';
import { callId, itemId, type OwnType, responseKey } from '../../wire/lowering/own-ids.ts';
import { carrierOf, keepFields, mergeFields } from './kept-fields.ts';
import type { ProviderFields } from './language-model.ts';
import { readUsage } from './read-usage.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A text, a reasoning or a call that is not complete. */
interface OpenPart {
  readonly kind: 'text' | 'reasoning' | 'call';
  /** Name of the function, for a call. */
  readonly name: string;
  text: string;
  fields: ProviderFields | undefined;
  /** Id of the item, once it was announced. */
  itemId: string | undefined;
}

interface Response {
  readonly emit: (event: ModelEvent) => void;
  readonly tools: ReadonlyMap<string, DeclaredTool>;
  /** Parts that are not complete, by their kinds and ids. */
  readonly open: Map<string, OpenPart>;
  begin(id?: unknown): string;
  newId(type: OwnType): string;
}

/** Reasons of an early end, by the names of the interface. */
const CUT_OFF: ReadonlyMap<unknown, string> = new Map([
  ['length', 'max_output_tokens'],
  ['content-filter', 'content_filter'],
]);

/**
 * Returns a function that converts the parts of one response to events. Parts of other types are left out, such as
 * those of tools that the provider runs.
 */
export function decodeParts(request: ModelRequest, newResponseId: () => string): (part: object) => ModelEvent[] {
  let events: ModelEvent[] = [];
  let responseId: string | undefined;
  let key: string | undefined;
  let count = 0;
  const response: Response = {
    emit: (event) => void events.push(event),
    tools: declaredTools(request.tools),
    open: new Map(),
    begin(id) {
      if (responseId === undefined) {
        responseId = wordOf(id) ?? newResponseId();
        response.emit({ type: 'created', responseId });
      }
      return responseId;
    },
    newId(type) {
      key ??= request.itemKey ?? responseKey(response.begin(), request.input);
      return itemId(type, key, count++);
    },
  };
  return (part) => {
    events = [];
    const fields = fieldsOf(part);
    if (typeof fields.type === 'string' && !fields.providerExecuted) PARTS[fields.type]?.(fields, response);
    return events;
  };
}

/** The work of each type of part. */
const PARTS: Readonly<Record<string, (part: Fields, response: Response) => void>> = {
  'response-metadata': ({ id }, { begin }) => void begin(id),
  'text-start': (part, response) => openPart('text', part, response),
  'text-delta': (part, response) => addDelta('text', part, response),
  'text-end': (part, response) => closePart('text', part, response),
  'reasoning-start': (part, response) => openPart('reasoning', part, response),
  'reasoning-delta': (part, response) => addDelta('reasoning', part, response),
  'reasoning-end': (part, response) => closePart('reasoning', part, response),
  'tool-input-start': (part, response) => {
    openPart('call', part, response);
    addDelta('call', part, response);
  },
  'tool-input-delta': (part, response) => addDelta('call', part, response),
  'tool-call': finishCall,
  finish,
};

function openPart(kind: OpenPart['kind'], part: Fields, { open }: Response): void {
  const fields = mergeFields(undefined, part.providerMetadata);
  const name = wordOf(part.toolName) ?? '';
  open.set(`${kind} ${part.id}`, { kind, name, text: '', fields, itemId: undefined });
}

function addDelta(kind: OpenPart['kind'], part: Fields, response: Response): void {
  const key = `${kind} ${part.id}`;
  if (!response.open.has(key)) openPart(kind, part, response);
  const open = response.open.get(key);
  if (open === undefined) return;
  open.fields = mergeFields(open.fields, part.providerMetadata);
  const delta = wordOf(part.delta) ?? '';
  open.text += delta;
  if (kind === 'call') announceCall(open, { delta, callId: wordOf(part.id) }, response);
  else if (delta !== '') emitText(open, delta, response);
}

function emitText(open: OpenPart, delta: string, response: Response): void {
  const id = announce(open, open.kind === 'text' ? 'message' : 'reasoning', response);
  if (open.kind === 'text') response.emit({ type: 'text.delta', itemId: id, delta });
  else response.emit({ type: 'reasoning.delta', itemId: id, kind: 'summary', delta });
}

function announce(open: OpenPart, type: 'message' | 'reasoning', { emit, newId }: Response): string {
  if (open.itemId === undefined) {
    open.itemId = newId(type);
    emit({ type: 'item.started', item: { type, id: open.itemId } });
  }
  return open.itemId;
}

/** Announces a call, unless its arguments decide its kind. The text of a custom tool is wrapped and read whole. */
function announceCall(open: OpenPart, part: { delta: string; callId: string | undefined }, response: Response): void {
  const tool = response.tools.get(open.name);
  if (open.name === '' || tool?.kind === 'local_shell') return;
  const type = tool?.kind === 'custom' ? 'custom_tool_call' : 'function_call';
  if (open.itemId === undefined) {
    const id = response.newId(type);
    open.itemId = id;
    const ids = part.callId === undefined ? {} : { callId: part.callId };
    response.emit({ type: 'item.started', item: { type, id, ...toolName(open.name, tool), ...ids } });
  }
  if (type === 'function_call' && part.delta !== '') {
    response.emit({ type: 'input.delta', itemId: open.itemId, delta: part.delta });
  }
}

function closePart(kind: 'text' | 'reasoning', part: Fields, response: Response): void {
  const key = `${kind} ${part.id}`;
  const open = response.open.get(key);
  if (open === undefined) return;
  response.open.delete(key);
  open.fields = mergeFields(open.fields, part.providerMetadata);
  finishText(open, response);
}

/** Completes a text or a reasoning. A reasoning without a text may hold a signature or an encrypted thought. */
function finishText(open: OpenPart, response: Response): void {
  const { kind, text, fields } = open;
  if (text === '' && (kind === 'text' || fields === undefined)) return;
  const id = announce(open, kind === 'text' ? 'message' : 'reasoning', response);
  if (kind === 'text') {
    const item = { type: 'message', id, role: 'assistant', content: [{ type: 'output_text', text }] } as const;
    emitDone(item, fields, response);
    return;
  }
  const encrypted_content = fields === undefined ? null : keepFields(id, fields);
  const summary = text === '' ? [] : [{ type: 'summary_text' as const, text }];
  response.emit({ type: 'item.done', item: { type: 'reasoning', id, summary, content: null, encrypted_content } });
}

function finishCall(part: Fields, response: Response): void {
  const key = `call ${part.toolCallId}`;
  const name = wordOf(part.toolName) ?? '';
  const open = response.open.get(key) ?? { kind: 'call', name, text: '', fields: undefined, itemId: undefined };
  response.open.delete(key);
  open.text = wordOf(part.input) ?? open.text;
  open.fields = mergeFields(open.fields, part.providerMetadata);
  completeCall(open, wordOf(part.toolCallId), response);
}

function completeCall(open: OpenPart, givenId: string | undefined, response: Response): void {
  announceCall(open, { delta: '', callId: givenId }, response);
  const tool = response.tools.get(open.name);
  const id = open.itemId ?? response.newId('local_shell_call');
  const call_id = givenId ?? callId(id, 0, open.name);
  const form = { name: open.name, arguments: open.text || '{}' };
  const item = fromFunctionForm(form, { id, call_id }, tool);
  if (open.itemId === undefined) response.emit({ type: 'item.started', item: { type: item.type, id } });
  emitDone(item, open.fields, response);
}

/** Reports a complete item. Metadata of it goes before it, in an item of its own. */
function emitDone(item: Item & { id?: string }, fields: ProviderFields | undefined, response: Response): void {
  if (fields !== undefined && item.id !== undefined) {
    const id = response.newId('reasoning');
    response.emit({ type: 'item.started', item: { type: 'reasoning', id } });
    response.emit({ type: 'item.done', item: carrierOf(id, item.id, fields) });
  }
  response.emit({ type: 'item.done', item });
}

/** Ends the response. A provider may leave parts open; a call that was cut off must not run. */
function finish({ finishReason, usage }: Fields, response: Response): void {
  const responseId = response.begin();
  const named = fieldsOf(finishReason).unified ?? finishReason;
  const reason = CUT_OFF.get(named);
  for (const [key, open] of response.open) {
    if (open.kind !== 'call') finishText(open, response);
    else if (reason === undefined) completeCall(open, key.slice('call '.length), response);
  }
  response.open.clear();
  const tokens: Usage | null = readUsage(usage);
  if (named === 'error') {
    response.emit({ type: 'failed', code: null, message: 'The provider ended the response with an error.' });
  } else if (reason === undefined) {
    response.emit({ type: 'completed', responseId, usage: tokens, endTurn: null });
  } else response.emit({ type: 'incomplete', responseId, reason, usage: tokens });
}
