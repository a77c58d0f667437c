import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { DEFAULT_REQUEST_COMPAT } from '../base/wire.ts';
import type { Fields } from '../wire/fields/request-fields.ts';
import { adaptRequest } from './adapt-request.ts';
import { RULES, type TestedRules } from './fixtures/adapted.ts';
import { anyCompat, chatMessage, chatRequest, item, responsesRequest, toolName } from './fixtures/arbitrary-request.ts';
import { frozen } from './fixtures/frozen.ts';
import { alternationFault, itemOrderFault, orderFault } from './fixtures/strict-history.ts';

const wire = fc.constantFrom<TestedRules>('chat', 'responses');
const request = fc.oneof(
  chatRequest.map((body) => ({ wire: 'chat' as const, body: frozen(body) as Fields })),
  responsesRequest.map((body) => ({ wire: 'responses' as const, body: frozen(body) as Fields })),
);

describe('any request', () => {
  test('stays the same object under the defaults', () => {
    fc.assert(
      fc.property(request, ({ wire, body }) => {
        const { body: same, changes, restoreName } = adaptRequest(RULES[wire], body, DEFAULT_REQUEST_COMPAT);
        expect(same).toBe(body);
        expect(changes).toEqual([]);
        expect(restoreName('a.b')).toBe('a.b');
      }),
    );
  });

  test('does not change when adapted a second time', () => {
    fc.assert(
      fc.property(request, anyCompat, ({ wire, body }, compat) => {
        const once = adaptRequest(RULES[wire], body, compat);
        const twice = adaptRequest(RULES[wire], frozen(once.body), compat);
        expect(twice.changes).toEqual([]);
        expect(twice.body).toBe(once.body);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('is reported as changed exactly if it changed', () => {
    fc.assert(
      fc.property(request, anyCompat, ({ wire, body }, compat) => {
        const { body: adapted, changes } = adaptRequest(RULES[wire], body, compat);
        expect(changes.length > 0).toBe(adapted !== body);
        for (const { before, after } of changes) expect(before.length + after.length).toBeLessThanOrEqual(400);
      }),
      { numRuns: runs(500) },
    );
  });

  test('may be garbage: nothing throws', () => {
    const value = fc.jsonValue({ maxDepth: 2 });
    const garbage = fc.dictionary(
      fc.constantFrom('messages', 'input', 'tools', 'tool_choice', 'stop', 'instructions', 'text', 'response_format'),
      fc.oneof(value, fc.array(fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 5 }), { maxLength: 5 })),
    );
    fc.assert(
      fc.property(wire, garbage, anyCompat, (wire, body, compat) => {
        const once = adaptRequest(RULES[wire], frozen(body), compat);
        expect(adaptRequest(RULES[wire], once.body, compat).body).toEqual(once.body);
      }),
      { numRuns: runs(500) },
    );
  });

  test('may be nested too deeply to walk', () => {
    const deep = (key: string) => JSON.parse(`${`{"${key}":`.repeat(20_000)}1${'}'.repeat(20_000)}`) as Fields;
    const compat = { ...DEFAULT_REQUEST_COMPAT, schemas: ['plain', 'typed_branches', 'no_patterns'] as const };
    for (const key of ['items', 'properties', 'tools', 'allOf', 'function']) {
      const tools = [deep('tools'), { type: 'function', function: { name: 'a.b', parameters: deep(key) } }];
      const body = { messages: [], tools, tool_choice: deep(key), junk: deep(key) };
      expect(adaptRequest(RULES.chat, body, { ...compat, toolNames: 'plain', toolChoice: 'auto' }).changes).not.toEqual(
        [],
      );
    }
  });
});

const KEYS = 'role content tool_calls tool_call_id type call_id output name function tools parameters'.split(' ');

describe('any history', () => {
  const strict = { ...DEFAULT_REQUEST_COMPAT, toolOrder: 'strict' } as const;

  test('is in the strict order on the chat wire, with every call', () => {
    fc.assert(
      fc.property(fc.array(chatMessage, { maxLength: 12 }), fc.boolean(), (messages, isMixed) => {
        const compat = isMixed ? { ...strict, alternateRoles: true, toolImages: 'user' as const } : strict;
        const adapted = adaptRequest(RULES.chat, frozen({ messages }), compat).body.messages as typeof messages;
        expect(orderFault(adapted as never)).toBeUndefined();
        expect(callIds(adapted)).toEqual(callIds(messages));
      }),
      { numRuns: runs(1000) },
    );
  });

  test('is in the strict order on the Responses wire, with every call', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 12 }), (input) => {
        const adapted = adaptRequest(RULES.responses, frozen({ input }), strict).body.input as typeof input;
        expect(itemOrderFault(adapted as never)).toBeUndefined();
        const calls = (items: typeof input) => items.filter(({ type }) => type === 'function_call');
        expect(calls(adapted)).toEqual(calls(input));
      }),
      { numRuns: runs(1000) },
    );
  });

  test('has alternating roles and one system message, and loses no text', () => {
    const compat = { ...DEFAULT_REQUEST_COMPAT, alternateRoles: true, systemMessages: 'one' } as const;
    fc.assert(
      fc.property(fc.array(chatMessage, { maxLength: 12 }), (messages) => {
        const adapted = adaptRequest(RULES.chat, frozen({ messages }), compat).body.messages as typeof messages;
        expect(alternationFault(adapted as never)).toBeUndefined();
        const isSystem = ({ role }: { role: string }) => role === 'system' || role === 'developer';
        expect(adapted.slice(1).filter(isSystem)).toEqual([]);
        const said = JSON.stringify(adapted);
        for (const { content } of messages) {
          if (typeof content === 'string') expect(said).toContain(JSON.stringify(content).slice(1, -1));
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('any names', () => {
  test('are plain, distinct and restored', () => {
    fc.assert(
      fc.property(fc.array(toolName, { maxLength: 12 }), (names) => {
        const tools = names.map((name) => ({ type: 'function', function: { name } }));
        const compat = { ...DEFAULT_REQUEST_COMPAT, toolNames: 'plain' } as const;
        const { body, restoreName } = adaptRequest(RULES.chat, frozen({ tools }), compat);
        const sent = (body.tools as typeof tools).map((tool) => tool.function.name);
        expect(sent.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
        expect(sent.map(restoreName)).toEqual(names);
        expect(new Set(sent).size).toBe(new Set(names).size);
      }),
      { numRuns: runs(1000) },
    );
  });
});

function callIds(messages: readonly object[]): readonly string[] {
  return messages.flatMap((message) =>
    'tool_calls' in message ? (message.tool_calls as { id: string }[]).map(({ id }) => id) : [],
  );
}
