import { expect, test } from 'vitest';
import { decodeMessages } from './decode-messages.ts';

test('a line for the accounts of a server is no instruction, since it would spoil the cache of others', () => {
  const system = [
    { type: 'text', text: 'x-some-billing-header: version=1.2.3.abc; entrypoint=cli;' },
    { type: 'text', text: 'You are an agent.' },
    { type: 'text', text: 'x-some-billing-header: is the name of a header.\nWrite it.' },
  ];
  const { instructions } = decodeMessages({ system, messages: [] });
  expect(instructions).toBe('You are an agent.\n\nx-some-billing-header: is the name of a header.\nWrite it.');
});
