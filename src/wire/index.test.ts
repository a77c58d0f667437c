import { expect, test } from 'vitest';
import { UserError } from '../base/errors.ts';
import { findWire } from './index.ts';

test('a wire is found by its name', () => {
  expect(findWire('responses')).toMatchObject({ name: 'responses', path: '/responses' });
  expect(findWire('chat')).toMatchObject({ name: 'chat', path: '/chat/completions' });
});

test.each(['soap', '', 'toString'])('there is no wire called "%s"', (name) => {
  expect(() => findWire(name)).toThrow(UserError);
  expect(() => findWire(name)).toThrow("Set the provider's wire to one of: responses, chat.");
});
