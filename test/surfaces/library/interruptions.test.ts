import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Answer, Event } from '../../../src/index.ts';
import { call, fault, gate, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';

const seen = (events: readonly Event[], type: Event['type']) => events.filter((event) => event.type === type);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(5);
}

/** Returns a promise and the function that resolves it. */
function later<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve = (_: T) => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve: (value) => resolve(value) };
}

describe('an interruption', () => {
  for (const answer of ['approved', 'denied', { type: 'suspend' }, { type: 'abort' }] as const) {
    test(`during a question ends the turn, and the late answer ${JSON.stringify(answer)} has no effect`, async () => {
      const s = await libraryScene([reply(call('exec_command', { cmd: 'touch asked' })), reply(say('next'))]);
      const given = later<Answer>();
      const thread = await s.agent.startThread(s.threadOptions({ ask: () => given.promise }));
      const turn = thread.run('one', { approvalPolicy: 'untrusted' });
      await until(() => seen(s.events, 'ask.opened').length > 0);
      await thread.abort();
      expect((await turn).status).toBe('aborted');
      expect(thread.running).toBe(false);
      const lines = s.rollout().length;
      given.resolve(answer);
      await wait(50);
      expect(s.rollout()).toHaveLength(lines);
      expect(seen(s.events, 'ask.answered')).toEqual([]);
      expect(thread.asks).toEqual([]);
      expect((await thread.run('two')).finalResponse).toBe('next');
      await thread.close();
    });
  }

  test('during the wait before a retry ends the turn at once', async () => {
    const s = await libraryScene(
      [fault.status(503, 'busy'), reply(say('next'))],
      {},
      {
        world: {
          now: Date.now,
          monotonic: () => Math.floor(performance.now()),
          uuid: () => crypto.randomUUID(),
          random: () => 0.5,
          sleep: (ms, signal) => wait(ms * 1000, undefined, { signal }),
        },
      },
    );
    const thread = await s.agent.startThread(s.threadOptions());
    const turn = thread.run('one');
    await until(() => seen(s.events, 'retry').length > 0);
    await thread.abort('enough');
    expect(await turn).toMatchObject({ status: 'aborted', abortReason: 'enough' });
    expect((await thread.run('two')).finalResponse).toBe('next');
    await thread.close();
  });

  test('is waited for by a run that comes meanwhile', async () => {
    const s = await libraryScene([reply(say('one'), gate(new Promise(() => {}))), reply(say('next'))]);
    const thread = await s.agent.startThread(s.threadOptions());
    const first = thread.run('one');
    await until(() => seen(s.events, 'text.delta').length > 0);
    await expect(thread.run('too early')).rejects.toMatchObject({ code: 'in_use' });
    const aborted = thread.abort();
    const second = thread.run('two');
    const third = thread.run('three');
    await expect(third).rejects.toMatchObject({ code: 'in_use' });
    expect((await second).finalResponse).toBe('next');
    expect((await first).status).toBe('aborted');
    await aborted;
    const turns = s.events.flatMap(({ type }) => (/^turn\.(started|aborted|completed)$/.test(type) ? [type] : []));
    expect(turns).toEqual(['turn.started', 'turn.aborted', 'turn.started', 'turn.completed']);
    await thread.close();
  });

  test('keeps input that was steered meanwhile, and the next run sends it first', async () => {
    const s = await libraryScene([reply(say('one'), gate(new Promise(() => {}))), reply(say('next'))]);
    const thread = await s.agent.startThread(s.threadOptions());
    const first = thread.run('one');
    await until(() => seen(s.events, 'text.delta').length > 0);
    const aborted = thread.abort();
    await thread.steer('a quagga');
    await aborted;
    await first;
    expect(thread.queue).toHaveLength(1);
    await thread.run('an okapi');
    const sent = JSON.stringify(s.model.requests[1]?.body.input);
    expect(sent.indexOf('a quagga')).toBeGreaterThan(0);
    expect(sent.indexOf('a quagga')).toBeLessThan(sent.indexOf('an okapi'));
    await thread.close();
  });

  test('before the turn has begun ends it too', async () => {
    const s = await libraryScene([reply(say('next'))]);
    const thread = await s.agent.startThread(s.threadOptions());
    const first = thread.run('one');
    await thread.abort();
    expect((await first).status).toBe('aborted');
    expect((await thread.run('two')).finalResponse).toBe('next');
    await thread.close();
  });
});

test('input at the very end of a turn is either answered in it or stays queued', async () => {
  for (let at = 0; at < 12; at++) {
    const s = await libraryScene(() => reply(say('an answer')));
    const thread = await s.agent.startThread(s.threadOptions());
    let steered: Promise<unknown> | undefined;
    thread.subscribe(({ type, seq }) => {
      if (steered || type === 'turn.completed') return;
      if (seq >= 8 + at) steered = thread.steer('a quagga');
    });
    await thread.run('one');
    steered ??= thread.steer('a quagga');
    await steered;
    const isSent = JSON.stringify(s.model.requests.at(-1)?.body.input).includes('a quagga');
    expect(thread.queue).toHaveLength(isSent ? 0 : 1);
    if (!isSent) await thread.run([]);
    expect(JSON.stringify(s.model.requests.at(-1)?.body.input).match(/a quagga/g)).toHaveLength(1);
    await thread.close();
  }
});
