import { expect, test } from 'vitest';
import type { Ask } from '../base/event.ts';
import { readApproval } from './approval.ts';

const scopes: Ask['scopes'] = [
  { scope: { type: 'once' }, effect: '' },
  { scope: { type: 'thread' }, effect: '' },
  { scope: { type: 'prefix', prefix: ['ls'], lasts: 'always' }, effect: '' },
];
const ONCE = { type: 'approve' };
const FOR_THREAD = { type: 'approve', scope: { type: 'thread' } };
const ALWAYS = { type: 'approve', scope: { type: 'prefix', prefix: ['ls'], lasts: 'always' } };
const DECLINED = expect.objectContaining({ type: 'decline' });

test.each([
  [{ decision: 'approved' }, ONCE],
  [{ decision: 'approved_for_session' }, FOR_THREAD],
  [{ decision: { approved_execpolicy_amendment: { proposed_execpolicy_amendment: ['ls'] } } }, ALWAYS],
  [{ decision: 'denied' }, DECLINED],
  [{ decision: 'abort' }, { type: 'abort' }],
  [{ decision: 'constructor' }, DECLINED],
  [{ decision: null }, DECLINED],
  [{ action: 'accept' }, ONCE],
  [{ action: 'accept', content: {} }, ONCE],
  [{ action: 'accept', content: { decision: 'approved_for_session' } }, FOR_THREAD],
  [{ action: 'accept', content: { decision: 'denied' } }, DECLINED],
  [{ action: 'decline' }, DECLINED],
  [{ action: 'cancel' }, DECLINED],
  [{ action: 'yes' }, DECLINED],
  [{}, DECLINED],
  [undefined, DECLINED],
  ['approved', DECLINED],
  [[], DECLINED],
])('%j', (answer, expected) => {
  expect(readApproval(answer, { scopes })).toEqual(expected);
});

test('an approval covers no more than was offered', () => {
  const [once] = scopes;
  const offered = { scopes: once === undefined ? [] : [once] };
  expect(readApproval({ decision: 'approved_for_session' }, offered)).toEqual(ONCE);
  expect(readApproval({ decision: { approved_execpolicy_amendment: {} } }, offered)).toEqual(ONCE);
});
