import { describe, expect, test } from 'vitest';
import { reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

describe('exec resume', () => {
  test('continues a thread by its id, with options before or after it and the prompt on stdin', async () => {
    const s = await scene([reply(say('first')), reply(say('second'))]);
    const first = await runOxbow(['exec', '--json', 'one'], s);
    const id = String(first.events[0]?.thread_id);
    const args = ['exec', '--experimental-json', '--model', 'other', 'resume', id, '--skip-git-repo-check'];
    const second = await runOxbow(args, { ...s, stdin: 'two' });
    expect(second.code).toBe(0);
    expect(second.events[0]).toEqual({ type: 'thread.started', thread_id: id });
    const input = JSON.stringify(s.model.requests[1]?.body.input);
    for (const text of ['one', 'first', 'two']) expect(input).toContain(`"${text}"`);
    expect(s.model.requests[1]?.body.model).toBe('other');
    expect(second.events.at(-1)).toMatchObject({ usage: { input_tokens: 200 } });
  });

  test('--last resumes the newest thread of the folder, and with --all of any folder', async () => {
    const s = await scene([reply(say('first')), reply(say('second')), reply(say('third'))]);
    await runOxbow(['exec', 'one'], s);
    const second = await runOxbow(['exec', 'resume', '--last', 'two'], s);
    expect(second.stdout).toBe('second\n');
    const elsewhere = ['--skip-git-repo-check', '-C', s.workspace.home];
    const none = await runOxbow(['exec', ...elsewhere, 'resume', '--last', 'x'], s);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('There is no thread of');
    const third = await runOxbow(['exec', ...elsewhere, 'resume', '--last', '--all', 'three'], s);
    expect(third.stdout).toBe('third\n');
    expect(JSON.stringify(s.model.requests[2]?.body.input)).toContain('"two"');
  });

  test('refuses an unknown thread and bad arguments', async () => {
    const s = await scene([]);
    const unknown = await runOxbow(['exec', 'resume', 'no-such-thread', 'x'], s);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('There is no thread no-such-thread');
    const rows: [string[], string][] = [
      [
        ['resume'],
        'resume takes the id or name of a thread, or --last. oxbow threads lists the threads of this folder.',
      ],
      [['resume', 'a', 'b', 'c'], 'Too many words after resume'],
      [['--last', 'x'], '--last can only be used with resume and fork.'],
      [['--base', 'main', 'x'], '--base can only be used with review.'],
      [['review', '--base', 'main', '--commit', 'abc'], 'review takes one of'],
    ];
    for (const [args, message] of rows) {
      const result = await runOxbow(['exec', ...args], s);
      expect(result.code).toBe(2);
      expect(result.stderr).toContain(message);
    }
  });
});

test('an output schema that is not JSON is named', async () => {
  const s = await scene([]);
  s.workspace.write('schema.json', '{');
  const result = await runOxbow(['exec', '--output-schema', 'schema.json', 'x'], s);
  expect(result.code).toBe(1);
  expect(result.stderr).toContain('The output schema schema.json cannot be used');
});

test('images and a schema are sent with the request, and the answer is printed as it came', async () => {
  const s = await scene([reply(say('prose'))]);
  s.workspace.write('a.gif', 'GIF89a');
  s.workspace.write('b.gif', 'GIF89a');
  s.workspace.write('schema.json', '{"type":"object"}');
  const result = await runOxbow(['exec', '-i', 'a.gif,b.gif', '--output-schema', 'schema.json', 'what?'], s);
  expect(result).toMatchObject({ code: 0, stdout: 'prose\n' });
  const body = s.model.requests[0]?.body;
  expect(JSON.stringify(body?.input).match(/data:image\/gif;base64,/g)).toHaveLength(2);
  expect(body?.text).toMatchObject({ format: { schema: { type: 'object' } } });
});

test('a file that is not an image, or is not there, is a warning, and the model is told', async () => {
  const s = await scene([reply(say('done'))]);
  s.workspace.write('text.png', 'not an image');
  const result = await runOxbow(['exec', '--json', '-i', 'text.png,none.png', 'what?'], s);
  expect(result.code).toBe(0);
  const warning = (message: RegExp) => ({ item: { type: 'error', message: expect.stringMatching(message) } });
  expect(result.events.filter(({ item }) => item?.type === 'error')).toMatchObject([
    warning(/text\.png is not an image that can be sent.* The model is told that it does not see this file\.$/),
    warning(/none\.png cannot be read: it, or a folder above it, does not exist\. The model/),
  ]);
  expect(result.events.map(({ type }) => type)).toEqual([
    ...['thread.started', 'item.completed', 'item.completed'],
    ...['turn.started', 'item.completed', 'turn.completed'],
  ]);
  const [input] = s.model.requests.map(({ body }) => body.input?.at(-1));
  expect(input).toMatchObject({
    content: [
      { type: 'input_text', text: '<image name=[Image #1] path="text.png">' },
      { type: 'input_text', text: 'image content omitted because it could not be processed' },
      { type: 'input_text', text: '</image>' },
      {
        type: 'input_text',
        text: expect.stringMatching(
          /^Oxbow could not read the local image at `none\.png`: it, or a folder above it, does not/,
        ),
      },
      { type: 'input_text', text: 'what?' },
    ],
  });
});

test('--debug shows the log', async () => {
  const s = await scene([reply(say('done'))]);
  const result = await runOxbow(['exec', '--debug', 'x'], s);
  expect(result.stderr).toMatch(/^\{"time":"[^"]+","level":"info","event":"request","request":1,/m);
  expect(result.stderr).not.toContain('scripted-key');
});
