import { describe, expect, test } from 'vitest';
import { isRecord } from '../base/json-schema.ts';
import { DEFAULT_REQUEST_COMPAT } from '../base/wire.ts';
import type { Fields } from '../wire/fields/request-fields.ts';
import { adaptRules as rules } from '../wire/messages/adapt-rules.ts';
import { adaptRequest } from './adapt-request.ts';
import { learn } from './learn.ts';
import type { LearnerCompat } from './refusals/rule.ts';

const BODY: Fields = { model: 'm', max_tokens: 8000, messages: [{ role: 'user', content: 'Hi' }] };
const ADAPTIVE: Fields = { ...BODY, thinking: { type: 'adaptive' }, output_config: { effort: 'high' } };
const BUDGET: Fields = { ...BODY, thinking: { type: 'enabled', budget_tokens: 4000 } };
const FORMAT = { type: 'json_schema', schema: {} };

const adapted = (body: Fields, thinkingForm: LearnerCompat['thinkingForm']) =>
  adaptRequest(rules, body, { ...DEFAULT_REQUEST_COMPAT, thinkingForm }).body;

/** Sends a request until the server accepts it. Returns the bodies that were sent. */
function sent(body: Fields, refusal: (body: Fields) => string | undefined): readonly Fields[] {
  const bodies: Fields[] = [];
  let compat: LearnerCompat = DEFAULT_REQUEST_COMPAT;
  for (;;) {
    const now = adaptRequest(rules, body, compat).body;
    bodies.push(now);
    const message = refusal(now);
    if (message === undefined) return bodies;
    const text = JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } });
    const lesson = learn(rules, { status: 400, body: text }, now, compat);
    if (lesson === undefined) return bodies;
    compat = { ...compat, ...lesson.patch };
  }
}

describe('thinking_form', () => {
  test('none leaves out everything about thinking, and nothing else', () => {
    expect(adapted(ADAPTIVE, 'none')).toEqual(BODY);
    expect(adapted(BUDGET, 'none')).toEqual(BODY);
    expect(adapted({ ...BODY, thinking: { type: 'disabled' } }, 'none')).toEqual(BODY);
    expect(adapted({ ...BODY, output_config: { effort: 'low', format: FORMAT } }, 'none')).toEqual({
      ...BODY,
      output_config: { format: FORMAT },
    });
    expect(adapted(BODY, 'none')).toBe(BODY);
  });

  test('adaptive and budget translate into each other', () => {
    expect(adapted(BUDGET, 'adaptive')).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
    });
    expect(adapted(ADAPTIVE, 'budget')).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: expect.any(Number) },
    });
    expect(adapted(ADAPTIVE, 'budget')).not.toHaveProperty('output_config');
  });
});

const CALL = { type: 'tool_use', id: 't1', name: 'add', input: {} };
const THOUGHT = { type: 'thinking', thinking: 'Hm.', signature: 's' };
const RESULT = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: '3' }] };
const withTurn = (body: Fields, ...turn: readonly Fields[]): Fields => ({
  ...body,
  messages: [{ role: 'user', content: 'Hi' }, ...turn],
});
const said = (...content: readonly Fields[]): Fields => ({ role: 'assistant', content });

describe('a turn that began without thoughts', () => {
  test.each([ADAPTIVE, BUDGET])('goes on without thinking where a number of tokens is sent', (body) => {
    expect(adapted(withTurn(body, said(CALL), RESULT), 'budget')).toEqual(withTurn(BODY, said(CALL), RESULT));
    const next = [said(CALL), RESULT, said({ type: 'text', text: '3' }), { role: 'user', content: 'And?' }];
    expect(adapted(withTurn(body, ...next), 'budget')).toMatchObject({ thinking: { type: 'enabled' } });
    expect(adapted(withTurn(body, said(THOUGHT, CALL), RESULT, said(CALL), RESULT), 'budget')).toMatchObject({
      thinking: { type: 'enabled' },
    });
  });

  test('goes on without thinking after the server has refused it', () => {
    const message =
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.';
    const body = withTurn(BUDGET, said(CALL), RESULT);
    const bodies = sent(body, ({ thinking }) => (thinking === undefined ? undefined : message));
    expect(bodies).toEqual([body, withTurn(BODY, said(CALL), RESULT)]);
  });
});

describe('a server that refuses', () => {
  test.each([
    'small-model-2024 does not support thinking.',
    '"thinking" is not supported by this model',
    'thinking: Extra inputs are not permitted',
    "Unknown parameter: 'thinking'",
    'This model does not support extended thinking',
  ])('thinking (%s) gets a request without it', (message) => {
    for (const body of [ADAPTIVE, BUDGET]) {
      const bodies = sent(body, ({ thinking }) => (thinking === undefined ? undefined : message));
      expect(bodies.at(-1)).not.toHaveProperty('thinking');
      expect(bodies.length).toBeLessThanOrEqual(3);
    }
  });

  test.each([
    'This model does not support the effort parameter.',
    'output_config.effort: Extra inputs are not permitted',
    'output_config: Extra inputs are not permitted',
  ])('an effort (%s) gets a request without it, which may still think', (message) => {
    for (const body of [ADAPTIVE, { ...BUDGET, output_config: { effort: 'low' } }]) {
      const bodies = sent(body, ({ output_config }) => (hasEffort(output_config) ? message : undefined));
      expect(hasEffort(bodies.at(-1)?.output_config)).toBe(false);
      expect(bodies.at(-1)).toHaveProperty('thinking');
    }
  });

  test('both forms gets neither', () => {
    const bodies = sent(BUDGET, ({ thinking }) => {
      if (thinking === undefined) return undefined;
      const { type } = thinking as Fields;
      if (type === 'enabled')
        return '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive".';
      return 'adaptive thinking is not supported on this model';
    });
    expect(bodies.map(({ thinking }) => (thinking as Fields | undefined)?.type)).toEqual([
      'enabled',
      'adaptive',
      undefined,
    ]);
  });
});

function hasEffort(config: unknown): boolean {
  return isRecord(config) && config.effort !== undefined;
}
