import { describe, expect, test } from 'vitest';
import { gate, type RecordedRequest, reply, type Script, say, textsOf } from '../../../src/testing/index.ts';
import { expectScreen } from '../../harness/expect-screen.ts';
import { scene } from '../../harness/scene.ts';
import { KEYS, startTerminal } from '../../harness/start-terminal.ts';

const typed = (request: RecordedRequest | undefined) =>
  request ? textsOf(request).flatMap(({ role, text }) => (role === 'user' ? [text] : [])) : [];

/** Returns a first request that waits until the test goes on. */
function held(...rest: readonly ReturnType<typeof reply>[]) {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const script: Script = [reply(say('Begun.'), gate(until)), ...rest];
  return { script, release };
}

describe('while a turn runs', () => {
  test('Enter sends with the next request, Tab after the turn, and both are shown until then', async () => {
    const { script, release } = held(reply(say('Steered.')), reply(say('Queued.')));
    const s = await scene(script);
    const terminal = startTerminal(['the', 'first', 'input'], s);
    await terminal.shows('Begun.');
    terminal.type('after this turn, please\t');
    await terminal.shows('› after this turn, please  after this turn');
    terminal.type('with the next request, please\r');
    await terminal.shows('› with the next request, please  with the next request');
    await expectScreen(import.meta.url, 'waiting', s.workspace, terminal.screen);
    release();
    await terminal.shows('Queued.');
    await terminal.hides('working');
    expect(typed(s.model.requests[1]).at(-1)).toBe('with the next request, please');
    expect(typed(s.model.requests[1])).not.toContain('after this turn, please');
    expect(typed(s.model.requests[2]).at(-1)).toBe('after this turn, please');
    await expectScreen(import.meta.url, 'waited', s.workspace, terminal.lines);
  });

  test('Alt-Up takes back what waits, the last first', async () => {
    const { script, release } = held(reply(say('Changed.')));
    const s = await scene(script);
    const terminal = startTerminal(['the', 'first', 'input'], s);
    await terminal.shows('Begun.');
    terminal.type('steer me\r');
    await terminal.shows('steer me  with the next request');
    terminal.type('queue me\t');
    await terminal.shows('queue me  after this turn');
    terminal.type(KEYS.altUp);
    await terminal.shows(/^› queue me$/m);
    terminal.type(KEYS.ctrl('u'));
    terminal.type(KEYS.altUp);
    await terminal.shows(/^› steer me$/m);
    await terminal.hides('with the next request');
    terminal.type(' otherwise\r');
    await terminal.shows('steer me otherwise  with the next request');
    release();
    await terminal.shows('Changed.');
    expect(typed(s.model.requests[1]).slice(-1)).toEqual(['steer me otherwise']);
    await terminal.hides('working');
    expect(s.model.requests).toHaveLength(2);
  });

  test.each([
    { name: 'Esc', key: KEYS.escape },
    { name: 'Ctrl-C', key: KEYS.ctrl('c') },
  ])('$name interrupts, deletes nothing that is typed, and the next input is a new turn', async ({ key }) => {
    const { script } = held(reply(say('Again.')));
    const s = await scene(script);
    const terminal = startTerminal(['the', 'first', 'input'], s);
    await terminal.shows('Begun.');
    terminal.type('a draft');
    await terminal.shows('› a draft');
    terminal.type(key);
    await terminal.shows('Interrupted.');
    await terminal.hides('working');
    await terminal.shows(/^› a draft$/m);
    terminal.type(KEYS.enter);
    await terminal.shows('Again.');
    expect(typed(s.model.requests[1]).at(-1)).toBe('a draft');
  });

  test('a command that needs the turn to end waits for it, and others run at once', async () => {
    const { script, release } = held();
    const s = await scene(script);
    const terminal = startTerminal(['the', 'first', 'input'], s);
    await terminal.shows('Begun.');
    terminal.type('/status\r');
    await terminal.shows(/^ *thread +[0-9a-f-]{36}/m);
    terminal.type('/fork\r');
    await terminal.shows('/fork runs when this turn has ended.');
    await terminal.shows('/fork  after this turn');
    release();
    await terminal.shows('This is a copy.');
  });
});
