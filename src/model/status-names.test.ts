import { STATUS_CODES } from 'node:http';
import { expect, test } from 'vitest';
import { STATUS_NAMES } from './status-names.ts';

test('statuses are called what Node calls them', () => {
  expect(STATUS_CODES).toMatchObject(STATUS_NAMES);
});
