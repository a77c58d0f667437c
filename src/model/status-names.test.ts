import { STATUS_CODES } from 'node:http';
import { expect, test } from 'vitest';
import { STATUS_NAMES } from './status-names.ts';

test('statuses have the names that Node has for them', () => {
  expect(STATUS_CODES).toMatchObject(STATUS_NAMES);
});
