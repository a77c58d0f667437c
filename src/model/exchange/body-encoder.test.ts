import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholeText } from '../../base/request-text.ts';
import { createBodyEncoder } from './body-encoder.ts';

const texts = fc.array(fc.constantFrom('a', 'é', '日本', '', ',', 'x'.repeat(100)), { maxLength: 8 });

test('returns the bytes of every request, and does not change those of earlier ones', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ head: fc.constantFrom('{', '{"é":'), entries: texts, rest: fc.string() }), {
        maxLength: 12,
      }),
      (requests) => {
        const encode = createBodyEncoder();
        const bodies = requests.map((request) => encode(request));
        expect(bodies.map((body) => Buffer.concat(body).toString())).toEqual(
          requests.map((request) => Buffer.from(wholeText(request)).toString()),
        );
      },
    ),
  );
});

test('a request that only adds to the one before shares its bytes', () => {
  const encode = createBodyEncoder();
  const history = 'history '.repeat(100);
  const [first] = encode({ head: '[', entries: [history], rest: '}' });
  const [second] = encode({ head: '[', entries: [history, 'more'], rest: '}' });
  expect(second?.buffer).toBe(first?.buffer);
  expect(second?.byteOffset).toBe(first?.byteOffset);
});
