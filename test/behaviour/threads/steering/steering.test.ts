import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { applyLine } from '../../../../src/engine/state/apply-line.ts';
import { emptyState } from '../../../../src/engine/state/thread-state.ts';
import { defineTool, type Event, type Thread } from '../../../../src/index.ts';
import { call, fault, gate, type RecordedRequest, reply, type Script, say } from '../../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../../harness/library-scene.ts';
import { outlineOf } from '../../../harness/outline.ts';
import { testInTurn } from '../../../harness/test-in-turn.ts';
import { WIRES } from '../../../harness/wires.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const FOREVER = new Promise<never>(() => {});

interface Steered extends LibraryScene {
  readonly thread: Thread;
  /** Called with each event. */
  listen(event: Event): void;
}

/** Creates a thread with a tool `work` that does what `atWork` says. */
async function steered(wire: string, script: Script, atWork = async (_: Thread) => {}): Promise<Steered> {
  let thread: Thread | undefined;
  const work = defineTool({
    name: 'work',
    description: 'Works.',
    parameters: { type: 'object' },
    async run() {
      if (thread) await atWork(thread);
      return 'done';
    },
  });
  const config = { model_providers: { scripted: { wire_api: wire } } };
  const s = await libraryScene(script, config, { tools: [work] });
  const listener = { listen: (_: Event) => {} };
  const onEvent = (event: Event) => {
    s.events.push(event);
    listener.listen(event);
  };
  thread = await s.agent.startThread({ onEvent });
  return Object.assign(listener, s, { thread });
}

function openGate(): { until: Promise<void>; open(): void } {
  let open = () => {};
  const until = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { until, open };
}

const work = (callId: string) => call('work', {}, { callId });
const texts = (thread: Thread) => thread.queue.map(({ content: [part] }) => part && 'text' in part && part.text);
const requests = ({ model }: LibraryScene) => model.requests.map(outlineOf);

/** Checks that the state of the thread equals its log. */
async function endWell({ thread, rollout }: Steered): Promise<void> {
  await thread.close();
  const folded = emptyState();
  for (const line of rollout()) applyLine(folded, line);
  expect(folded).toEqual(thread.state);
}

describe.each(WIRES)('over %s', (wire) => {
  const testOne = testInTurn(WIRES.indexOf(wire));

  testOne('input during a call goes with the next request, after the output', async () => {
    const s = await steered(wire, [reply(work('call_1'), work('call_2')), reply(say('done'))], async (thread) => {
      await thread.steer('B');
    });
    const { finalResponse } = await s.thread.run('A');
    expect(finalResponse).toBe('done');
    expect(requests(s)).toEqual([
      ['user: A'],
      ['user: A', 'call call_1', 'call call_2', 'output call_1', 'output call_2', 'user: B', 'user: B'],
    ]);
    expect(s.thread.queue).toEqual([]);
    await endWell(s);
  });

  testOne('input during the final answer causes one more request', async () => {
    const { until, open } = openGate();
    const s = await steered(wire, [reply(say('first'), gate(until)), reply(say('second'))]);
    const turn = s.thread.run('A');
    await s.model.waitForRequest(1);
    await s.thread.steer('B');
    await s.thread.steer('C');
    open();
    expect((await turn).finalResponse).toBe('second');
    expect(requests(s)[1]).toEqual(['user: A', 'assistant: first', 'user: B', 'user: C']);
    await endWell(s);
  });

  testOne('edited input is sent as edited, and removed input is not sent', async () => {
    const { until, open } = openGate();
    const s = await steered(wire, [reply(say('first'), gate(until)), reply(say('second'))]);
    const turn = s.thread.run('A');
    await s.model.waitForRequest(1);
    const ids = [await s.thread.steer('B'), await s.thread.steer('C'), await s.thread.steer('D', { id: 'mine' })];
    expect(await s.thread.editQueued(ids[1] ?? '', 'C, but better')).toBe(true);
    expect(await s.thread.removeQueued('mine')).toBe(true);
    expect(await s.thread.removeQueued('mine')).toBe(false);
    expect(texts(s.thread)).toEqual(['B', 'C, but better']);
    open();
    await turn;
    expect(requests(s)[1]?.slice(2)).toEqual(['user: B', 'user: C, but better']);
    expect(await s.thread.editQueued(ids[0] ?? '', 'too late')).toBe(false);
    await endWell(s);
  });

  testOne('input before the first request comes after the input of its turn', async () => {
    const s = await steered(wire, [reply(say('first')), reply(say('second'))]);
    const turn = s.thread.run('A');
    const queued = s.thread.steer('B');
    await Promise.all([turn, queued]);
    expect(requests(s)).toEqual([['user: A'], ['user: A', 'assistant: first', 'user: B']]);
    await endWell(s);
  });

  testOne('input without a turn goes before the input of the next turn, or starts it', async () => {
    const s = await steered(wire, [reply(say('first')), reply(say('second'))]);
    await s.thread.steer('A');
    await s.thread.run('B');
    expect(requests(s)).toEqual([['user: A', 'user: B']]);
    await expect(s.thread.run([])).rejects.toThrow('the input is empty, and nothing is queued');
    await s.thread.steer('C');
    expect((await s.thread.run([])).finalResponse).toBe('second');
    expect(requests(s)[1]).toEqual(['user: A', 'user: B', 'assistant: first', 'user: C']);
    await endWell(s);
  });

  testOne('an interrupt keeps queued input, which goes before the next input', async () => {
    const s = await steered(wire, [reply(say('first'), gate(FOREVER)), reply(say('second'))]);
    const stop = new AbortController();
    const turn = s.thread.run('A', { signal: stop.signal });
    await s.model.waitForRequest(1);
    await s.thread.steer('B');
    stop.abort();
    expect((await turn).status).toBe('aborted');
    expect(texts(s.thread)).toEqual(['B']);
    await s.thread.run('C');
    expect(requests(s)[1]?.filter((line) => line.startsWith('user'))).toEqual([
      ...['user: A', 'user: <turn_aborted>', 'user: B', 'user: C'],
    ]);
    await endWell(s);
  });

  testOne('a failure keeps queued input, even for another process', async () => {
    const { until, open } = openGate();
    const s = await steered(wire, async (_, n) => {
      if (n > 1) return reply(say('second'));
      await until;
      return fault.status(400, 'no');
    });
    const turn = s.thread.run('A');
    await s.model.waitForRequest(1);
    await s.thread.steer('B');
    open();
    expect((await turn).status).toBe('failed');
    await s.thread.close();
    const thread = await s.agent.resumeThread(s.thread.id, s.threadOptions());
    expect(texts(thread)).toEqual(['B']);
    s.events.length = 0;
    await thread.run('C');
    expect(s.events.slice(0, 2)).toMatchObject([{ type: 'thread.started' }, { type: 'queue.changed', queue: [{}] }]);
    expect(requests(s)[1]).toEqual(['user: A', 'user: B', 'user: C']);
    await endWell({ ...s, thread });
  });

  testOne('images can be steered too, and keep their order', async () => {
    const { until, open } = openGate();
    const s = await steered(wire, [reply(say('first'), gate(until)), reply(say('second'))]);
    s.workspace.write('pixel.png', Buffer.from(PIXEL, 'base64'));
    const turn = s.thread.run('A');
    await s.model.waitForRequest(1);
    const shown = s.thread.steer([
      { type: 'local_image', path: 'pixel.png' },
      { type: 'text', text: 'see' },
    ]);
    await Promise.all([shown, s.thread.steer('B')]);
    await expect(s.thread.steer([{ type: 'local_image', path: 'none.png' }])).rejects.toThrow('cannot be read');
    open();
    await turn;
    expect(requests(s)[1]?.slice(2)).toEqual([wire === 'ollama' ? 'user: see[image]' : 'user: [image]see', 'user: B']);
    expect(s.model.requests[1]?.bytes.toString()).toContain(PIXEL);
    await endWell(s);
  });
});

test('a server that refuses a user message right after results gets an assistant message between them', async () => {
  const roles = ({ body }: RecordedRequest) => (body.messages ?? []).map(({ role }) => role).join(' ');
  const script: Script = (request) => {
    if (roles(request).includes('tool user')) return fault.status(400, REFUSED_ROLE);
    return roles(request).includes('tool') ? reply(say('done')) : reply(call('work', {}));
  };
  const s = await steered('chat', script, async (thread) => {
    await thread.steer('B');
  });
  expect(await s.thread.run('A')).toMatchObject({ status: 'completed', finalResponse: 'done' });
  expect(s.model.requests).toHaveLength(3);
  expect(requests(s)[2]?.slice(-3)).toEqual(['output call_1', 'assistant: I have the results.', 'user: B']);
  await endWell(s);
});

const REFUSED_ROLE = {
  object: 'error',
  message: "Unexpected role 'user' after role 'tool'",
  type: 'invalid_request_message_order',
  code: '3230',
};

test('the request limit counts the request that steering causes, and queued input stays', async () => {
  const { until, open } = openGate();
  const s = await steered('responses', [reply(say('first'), gate(until)), reply(say('second'))]);
  const turn = s.thread.run('A', { limits: { maxRequests: 1 } });
  await s.model.waitForRequest(1);
  await s.thread.steer('B');
  open();
  expect(await turn).toMatchObject({ status: 'failed', error: { code: 'limit' } });
  expect(s.model.requests).toHaveLength(1);
  expect(texts(s.thread)).toEqual(['B']);
  await s.thread.run([]);
  expect(requests(s)[1]).toEqual(['user: A', 'assistant: first', 'user: B']);
  await endWell(s);
});

test('input that arrives when the turn is already ending stays queued and visible', async () => {
  const late: Promise<string>[] = [];
  const s = await steered('responses', [reply(say('first')), reply(say('second'))]);
  s.listen = ({ type }) => {
    if (type === 'turn.completed' && late.length === 0) late.push(s.thread.steer('late'));
  };
  expect((await s.thread.run('A')).finalResponse).toBe('first');
  const [id] = await Promise.all(late);
  expect(s.thread.queue).toEqual([{ id, content: [{ type: 'input_text', text: 'late' }] }]);
  expect(s.events.at(-1)).toMatchObject({ type: 'queue.changed', queue: [{ id }] });
  expect((await s.thread.run([])).finalResponse).toBe('second');
  await endWell(s);
});

test('the events and log lines of one input', async () => {
  const s = await steered('responses', [reply(call('work', {})), reply(say('done'))], async (thread) => {
    await thread.steer('B', { id: 'b' });
  });
  await s.thread.run('A');
  const content = [{ type: 'input_text', text: 'B' }];
  const events = s.events.filter(({ type }) => type === 'queue.changed' || type === 'input.taken');
  const { turnId } = s.events.find(({ type }) => type === 'turn.started') as Event;
  expect(events).toMatchObject([
    { type: 'queue.changed', queue: [{ id: 'b', content }], turnId },
    { type: 'input.taken', id: 'b', content, turnId },
    { type: 'queue.changed', queue: [], turnId },
  ]);
  const lines = s.rollout();
  const queuedAt = lines.findIndex(({ type, payload }) => type === 'oxbow' && payload.kind === 'input.queued');
  const takenAt = lines.findIndex((line) => line.type === 'response_item' && line.metadata?.queued === 'b');
  const outputAt = lines.findIndex(({ payload }) => 'type' in payload && payload.type === 'function_call_output');
  expect(lines[queuedAt]).toMatchObject({ payload: { kind: 'input.queued', id: 'b', content } });
  expect(lines[takenAt]).toMatchObject({ payload: { type: 'message', role: 'user', content } });
  expect([queuedAt, outputAt, takenAt].toSorted((a, b) => a - b)).toEqual([queuedAt, outputAt, takenAt]);
  await endWell(s);
});

test('a hundred inputs at once keep their order, and go with one request', async () => {
  const names = Array.from({ length: 100 }, (_, n) => `input ${n}`);
  const s = await steered('responses', [reply(call('work', {})), reply(say('done'))], async (thread) => {
    await Promise.all(names.map((name) => thread.steer(name)));
    expect(texts(thread)).toEqual(names);
  });
  await s.thread.run('A');
  expect(s.model.requests).toHaveLength(2);
  expect(requests(s)[1]?.slice(3)).toEqual(names.map((name) => `user: ${name}`));
  await endWell(s);
});

test('the first inputs of a new thread, all at once, create it once', async () => {
  const s = await steered('responses', [reply(say('done'))]);
  const all = [s.thread.steer('A'), s.thread.steer('B'), s.thread.run('C')];
  await Promise.all(all);
  expect(requests(s)).toEqual([['user: A', 'user: B', 'user: C']]);
  expect(s.rollout().filter(({ type }) => type === 'session_meta')).toHaveLength(1);
  expect(s.rollout()[0]?.type).toBe('session_meta');
  expect(s.events.filter(({ type }) => type === 'thread.started')).toHaveLength(1);
  await endWell(s);
});

test.each(['edit', 'remove'] as const)(
  '%s races with sending: the first wins, and the result says which',
  async (what) => {
    let hold = openGate();
    const s = await steered('responses', (_, n) =>
      n % 2 === 1 ? reply(say('first'), gate(hold.until)) : reply(say('.')),
    );
    const outcomes = new Set<boolean>();
    // From before the response continues until after the turn, and at every chance in between.
    for (let rounds = -1; rounds <= 24; rounds++) {
      hold = openGate();
      const turn = s.thread.run('A');
      await s.model.waitForRequest(2 * rounds + 3);
      await s.thread.steer('B', { id: 'b' });
      await s.thread.steer('C', { id: 'c' });
      if (rounds >= 0) hold.open();
      for (let n = 0; n < rounds; n++) await nextRound();
      if (rounds === 24) await turn;
      const won = await (what === 'edit' ? s.thread.editQueued('c', 'changed') : s.thread.removeQueued('c'));
      hold.open();
      await turn;
      outcomes.add(won);
      const changed = what === 'edit' ? ['user: changed'] : [];
      const sent = requests(s).at(-1) ?? [];
      expect(sent.slice(sent.lastIndexOf('assistant: first') + 1)).toEqual([
        'user: B',
        ...(won ? changed : ['user: C']),
      ]);
      expect(s.thread.queue).toEqual([]);
    }
    expect(outcomes).toEqual(new Set([true, false]));
    await endWell(s);
  },
);

test('an edit is not lost while an earlier input is being sent', async () => {
  const s = await steered('responses', [reply(call('work', {})), reply(say('done'))], async (thread) => {
    for (const id of ['a', 'b', 'c']) await thread.steer(id, { id });
  });
  const answers: Promise<boolean>[] = [];
  const thread = s.thread;
  s.listen = (event) => {
    if (event.type === 'input.taken' && event.id === 'a') answers.push(thread.editQueued('c', 'changed'));
  };
  await thread.run('go');
  const [won] = await Promise.all(answers);
  expect(requests(s)[1]?.slice(3)).toEqual(['user: a', 'user: b', won ? 'user: changed' : 'user: c']);
  expect(won).toBe(true);
  await endWell(s);
});

test('when the only input of a turn is removed before it is sent, there is no request', async () => {
  const s = await steered('responses', []);
  const id = await s.thread.steer('A');
  const turn = s.thread.run([]);
  const removed = s.thread.removeQueued(id);
  expect(await removed).toBe(true);
  expect(await turn).toMatchObject({ status: 'completed', finalResponse: '' });
  expect(s.model.requests).toHaveLength(0);
  await endWell(s);
});

test('invalid input is refused', async () => {
  const s = await steered('responses', [reply(say('done'), gate(FOREVER))]);
  await s.thread.steer('A', { id: 'a' });
  await expect(s.thread.steer('B', { id: 'a' })).rejects.toThrow('An input with the id "a" is queued already.');
  await expect(s.thread.steer([])).rejects.toThrow('An empty input cannot be queued.');
  await expect(s.thread.editQueued('a', [])).rejects.toThrow('An empty input cannot be queued.');
  expect(await s.thread.editQueued('b', 'B')).toBe(false);
  expect(texts(s.thread)).toEqual(['A']);
  const turn = s.thread.run('C');
  await s.model.waitForRequest(1);
  await s.thread.close();
  expect((await turn).status).toBe('aborted');
  for (const use of [() => s.thread.steer('C'), () => s.thread.removeQueued('a'), () => s.thread.run('C')]) {
    await expect(use()).rejects.toThrow('This thread is closed.');
  }
  await endWell(s);
});
