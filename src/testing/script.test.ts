import { describe, expect, test } from 'vitest';
import { fault } from './fault.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { reply, say } from './reply.ts';
import { createScriptReader, type Script, when } from './script.ts';

const [one, two, three] = ['one', 'two', 'three'].map((text) => reply(say(text))) as [never, never, never];

function request(text: string): RecordedRequest {
  return {
    method: 'POST',
    path: '/v1/responses',
    headers: {},
    body: { model: 'm', input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }] },
    bytes: Buffer.alloc(0),
    receivedAt: 0,
    aborted: false,
    ended: Promise.resolve(),
  };
}

async function answers(script: Script, ...texts: string[]): Promise<unknown[]> {
  const reader = createScriptReader(script);
  const all: unknown[] = [];
  for (const [index, text] of texts.entries()) all.push(await reader.answerTo(request(text), index + 1));
  return all;
}

describe('a request gets', () => {
  test('the next answer in order', async () => {
    expect(await answers([one, two], 'a', 'b', 'c')).toEqual([one, two, 'The script has no answer for request 3.']);
  });

  test('the first answer that fits and is not used up, before those in order', async () => {
    const script = [one, when('b').answer(two), when(/^b/g).answer(three).times(2)];
    expect(await answers(script, 'b', 'a', 'b', 'ab', 'b')).toEqual([
      two,
      one,
      three,
      `The script has no answer for request 4. Tried: when('b') is used up, when(/^b/g) does not fit; the answers in order are used up.`,
      three,
    ]);
  });

  test('the answer of a function', async () => {
    const script: Script = ({ body }, n) => (n === 1 && body.model === 'm' ? one : undefined);
    expect(await answers(script, 'a', 'b')).toEqual([one, 'The script has no answer for request 2.']);
  });
});

test('a match that fails is named', async () => {
  const isMonday = () => false;
  expect(await answers([when(isMonday).answer(one), when(() => false).answer(one)], 'a')).toEqual([
    'The script has no answer for request 1. Tried: when(isMonday) does not fit, when(a function) does not fit.',
  ]);
});

test('a fault may be an answer for a content', async () => {
  const failure = fault.status(500, {});
  expect(await answers([when('a').answer(failure).always()], 'a', 'a', 'a')).toEqual([failure, failure, failure]);
});

test.each([0, -1, 1.5, Number.NaN])('an answer is not used %s times', (uses) => {
  expect(() => when('a').reply().times(uses)).toThrow(RangeError);
});
