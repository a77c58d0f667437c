import { describe, expect, test } from 'vitest';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import type { Fields } from '../fields/request-fields.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { editRequest, withoutSealed } from './edit-request.ts';

const edit = (body: Fields, compat: object = {}) =>
  editRequest(body, { model: 'real', stream: true, compat: { ...DEFAULT_COMPAT, ...compat } });

const signed = { type: 'thinking', thinking: 'hm', signature: 'Eq=' };
const redacted = { type: 'redacted_thinking', data: 'EmwK' };
const ours = { type: 'thinking', thinking: 'hm', signature: encodeOpaqueState({}) };
const oursToo = { type: 'redacted_thinking', data: encodeOpaqueState({ encrypted: 'gAAA' }) };
const text = { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } };
const user = { role: 'user', content: 'Hello' };
const answer = (...content: object[]) => ({ role: 'assistant', content });

describe('a request for a server of the same wire', () => {
  test('has only the name of its model changed, and is the same where that fits', () => {
    const body = {
      model: 'alias',
      system: [text],
      messages: [user, answer(signed, redacted, text)],
      thinking: { type: 'adaptive' },
      container: 'c',
    };
    const edited = edit(body);
    expect(edited).toEqual({ ...body, model: 'real' });
    expect(edited.messages).toBe(body.messages);
    expect(edit(edited)).toBe(edited);
  });

  test('has no reasoning that the gateway sealed, and no message of nothing else', () => {
    const messages = [user, answer(ours, text), answer(oursToo), user, answer(signed, oursToo, text)];
    expect(edit({ model: 'real', messages }).messages).toEqual([user, answer(text), user, answer(signed, text)]);
  });

  test('has no reasoning at all for a server that wants none', () => {
    const messages = [user, answer(signed, text)];
    expect(edit({ model: 'real', messages }, { sendReasoning: 'none' }).messages).toEqual([user, answer(text)]);
    expect(withoutSealed({ messages })).toEqual({ messages: [user, answer(text)] });
    const body = { messages: [user, answer(text)] };
    expect(withoutSealed(body)).toBe(body);
  });

  test.each<[unknown, unknown]>([
    [undefined, { type: 'auto', disable_parallel_tool_use: true }],
    [{ type: 'any' }, { type: 'any', disable_parallel_tool_use: true }],
    [{ type: 'none' }, { type: 'none' }],
  ])('asks for one call at a time with the choice %j', (tool_choice, sent) => {
    const body = {
      model: 'real',
      messages: [user],
      tools: [{ name: 'f' }],
      ...(tool_choice !== undefined && { tool_choice }),
    };
    const once = edit(body, { parallelToolCalls: false });
    expect(once.tool_choice).toEqual(sent);
    expect(edit(once, { parallelToolCalls: false })).toBe(once);
    expect(edit({ model: 'real', messages: [user] }, { parallelToolCalls: false })).not.toHaveProperty('tool_choice');
  });
});
