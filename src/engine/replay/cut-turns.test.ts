import { expect, test } from 'vitest';
import type { EventMessage, LogLine, OxbowLine } from '../../base/log.ts';
import { cutTurns, isOwnTurn } from './cut-turns.ts';
import type { RecordedLine } from './recorded-line.ts';

const event = (payload: EventMessage): LogLine => ({ type: 'event_msg', payload });
const own = (payload: OxbowLine): LogLine => ({ type: 'oxbow', payload });
const begin = (turn_id: string) => event({ type: 'task_started', turn_id });
const end = (turn_id: string) => event({ type: 'task_complete', turn_id, last_agent_message: '' });
const said = event({ type: 'user_message', message: 'a' });
const asked = own({ kind: 'request.started', request: 1, attempt: 0 });
const queued = own({ kind: 'input.queued', id: 'q', content: [] });
const failed = (turn_id: string) => own({ kind: 'turn.failed', turn_id, code: 'limit', message: '' });

async function cut(...lines: LogLine[]): Promise<string[]> {
  async function* log(): AsyncGenerator<RecordedLine> {
    for (const [index, line] of lines.entries()) yield { number: index + 1, ordinal: null, line };
  }
  const stretches: string[] = [];
  for await (const stretch of cutTurns(log())) {
    const { type, ended } = stretch;
    const words = [type, ...(ended ? ['ended'] : []), ...(isOwnTurn(stretch) ? ['own'] : [])];
    stretches.push(`${words.join(' ')}: ${stretch.lines.map(({ number }) => number).join(' ')}`);
  }
  return stretches;
}

test('a turn ranges from its beginning to its end, and lines between turns belong to none', async () => {
  expect(await cut(said, begin('a'), asked, end('a'), queued, begin('b'), asked, failed('b'))).toEqual([
    'between: 1',
    'turn ended own: 2 3 4',
    'between: 5',
    'turn ended own: 6 7 8',
  ]);
});

test('a turn whose process died ranges to the next turn, or to the end of the log', async () => {
  expect(await cut(begin('a'), asked, begin('b'), asked)).toEqual(['turn own: 1 2', 'turn own: 3 4']);
  expect(await cut(begin('a'), end('other'), end('a'))).toEqual(['turn ended: 1 2 3']);
});

test('a turn without our own lines belongs to another program, even with input queued by ours', async () => {
  expect(await cut(begin('a'), said, queued, end('a'))).toEqual(['turn ended: 1 2 3 4']);
});

test('an empty log has no stretches', async () => {
  expect(await cut()).toEqual([]);
});
