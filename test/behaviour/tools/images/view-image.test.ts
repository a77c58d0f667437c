import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import sharp, { type FormatEnum } from 'sharp';
import { describe, expect, test } from 'vitest';
import { call, type ReplyPart, reply, say } from '../../../../src/testing/index.ts';
import { requestFaults } from '../../../harness/request-faults.ts';
import { runOxbow } from '../../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../../harness/scene.ts';
import type { ConfigTable } from '../../../harness/scripted-config.ts';
import { over } from '../../../harness/wires.ts';
import { imagesOf, view } from './shown-images.ts';

const picture = (width: number, height: number, format: keyof FormatEnum) =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } })
    .toFormat(format)
    .toBuffer();

const MKFIFO = 'mkfifo';

/** Runs one turn of the program in which the model makes these calls. */
async function exec(s: Scene, config: ConfigTable = {}): Promise<void> {
  const result = await runOxbow(['exec', '--json', 'go'], { ...s, config });
  expect(result.stderr).toBe('');
  expect(result.code).toBe(0);
  expect(result.stdout).not.toContain('base64');
}

const looking = (...calls: ReplyPart[]) => scene([reply(...calls), reply(say('done'))]);

describe('over the Responses wire', () => {
  test('images are in the outputs, scaled down when they are too large, whatever their names', async () => {
    const s = await looking(...['small.png', 'large.txt', 'photo', 'moving.gif'].map(view));
    const small = await picture(30, 20, 'png');
    s.workspace.write('small.png', small);
    s.workspace.write('large.txt', await picture(3000, 1500, 'png'));
    s.workspace.write('photo', await picture(2400, 600, 'jpeg'));
    s.workspace.write('moving.gif', await picture(50, 40, 'gif'));
    await exec(s);
    const shown = imagesOf(s, 1);
    expect(shown.map(({ callId, detail }) => `${callId} ${detail}`)).toEqual(
      ['small.png', 'large.txt', 'photo', 'moving.gif'].map((name) => `${name} high`),
    );
    expect(shown[0]?.bytes).toEqual(small);
    const facts = await Promise.all(shown.map(({ bytes }) => sharp(bytes).metadata()));
    expect(facts.map(({ format, width, height }) => [format, width, height])).toEqual([
      ['png', 30, 20],
      ['png', 2000, 1000],
      ['jpeg', 2000, 500],
      ['png', 50, 40],
    ]);
    expect(shown.map(({ mime }) => mime)).toEqual(['image/png', 'image/png', 'image/jpeg', 'image/png']);
  });

  test('a model that supports the original size is offered it, and gets it', async () => {
    const asked = call('view_image', { path: 'large.png', detail: 'original' }, { callId: 'large.png' });
    for (const [model, detail, width] of [
      ['gpt-5.5', 'original', 3000],
      ['scripted', 'high', 2000],
    ] as const) {
      const s = await looking(asked);
      s.workspace.write('large.png', await picture(3000, 30, 'png'));
      await exec(s, { model });
      expect(JSON.stringify(s.model.requests[0]?.body.tools).includes('"original"')).toBe(model === 'gpt-5.5');
      const [image] = imagesOf(s, 1);
      expect(image?.detail).toBe(detail);
      expect((await sharp(image?.bytes).metadata()).width).toBe(width);
    }
  });

  test('a server whose outputs cannot hold images gets them in a user message', async () => {
    const s = await looking(view('a.png'), call('exec_command', { cmd: 'echo text' }, { callId: 'echo' }));
    const bytes = await picture(5, 5, 'png');
    s.workspace.write('a.png', bytes);
    await exec(s, { model_providers: { scripted: { compat: { output_images: false } } } });
    expect(s.outputs(1).get('a.png')).toBe('attached local image path');
    const message = s.model.requests[1]?.body.input?.at(-1);
    expect(message).toMatchObject({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_image', detail: 'high' }],
    });
  });
});

test('over the chat wire the image follows the outputs in a user message', async () => {
  const s = await looking(view('a.png'), call('exec_command', { cmd: 'echo text' }, { callId: 'echo' }));
  const bytes = await picture(5, 5, 'png');
  s.workspace.write('a.png', bytes);
  await exec(s, over('chat'));
  const messages = s.model.requests[1]?.body.messages ?? [];
  const url = `data:image/png;base64,${bytes.toString('base64')}`;
  expect(messages.slice(-3)).toEqual([
    { role: 'tool', tool_call_id: 'a.png', content: 'attached local image path' },
    { role: 'tool', tool_call_id: 'echo', content: expect.stringContaining('text\n') },
    { role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'high' } }] },
  ]);
});

test('over the messages wire the image is in its result', async () => {
  const s = await looking(view('a.png'), call('exec_command', { cmd: 'echo text' }, { callId: 'echo' }));
  const bytes = await picture(5, 5, 'png');
  s.workspace.write('a.png', bytes);
  await exec(s, over('messages'));
  const source = { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') };
  const last = s.model.requests[1]?.body.messages?.at(-1);
  expect(last).toMatchObject({
    role: 'user',
    content: [
      { type: 'tool_result', content: [{ type: 'image', source }] },
      { type: 'tool_result', tool_use_id: 'echo', content: expect.stringContaining('text\n') },
    ],
  });
  expect(requestFaults(s.model.requests[1]?.body ?? {})).toEqual([]);
});

test('over the ollama wire the image follows the outputs in a user message', async () => {
  const s = await looking(view('a.png'), call('exec_command', { cmd: 'echo text' }, { callId: 'echo' }));
  const bytes = await picture(5, 5, 'png');
  s.workspace.write('a.png', bytes);
  await exec(s, over('ollama'));
  const messages = s.model.requests[1]?.body.messages ?? [];
  expect(messages.slice(-3)).toMatchObject([
    { role: 'tool', content: 'attached local image path' },
    { role: 'tool', content: expect.stringContaining('text\n') },
    { role: 'user', images: [bytes.toString('base64')] },
  ]);
  expect(requestFaults(s.model.requests[1]?.body ?? {})).toEqual([]);
});

describe('an image that cannot be shown is an error', () => {
  test('with its own message for each reason', async () => {
    const s = await looking(...['missing.png', '.', 'notes.png', 'cut.png', 'pipe', 'huge.png', 'a/b.png'].map(view));
    s.workspace.write('notes.png', 'These are notes.');
    s.workspace.write('a', 'a file');
    const whole = await picture(400, 400, 'jpeg');
    s.workspace.write('cut.png', whole.subarray(0, whole.length / 2));
    const huge = await picture(1, 1, 'png');
    huge.writeUInt32BE(50_000, 16);
    huge.writeUInt32BE(50_000, 20);
    s.workspace.write('huge.png', huge);
    execFileSync(MKFIFO, [s.workspace.file('pipe')]);
    await exec(s);
    const invalid = 'unable to process image: invalid or unsupported image data';
    const { path } = s.workspace;
    expect([...s.outputs(1)]).toEqual([
      ['missing.png', `unable to locate image at \`${path}/missing.png\`: No such file or directory (os error 2)`],
      ['.', `image path \`${path}\` is not a file`],
      ['notes.png', invalid],
      ['cut.png', invalid],
      ['pipe', `image path \`${path}/pipe\` is not a file`],
      [
        'huge.png',
        'The image `huge.png` cannot be shown: it has 50000 x 50000 pixels, and at most 100000000 are read.',
      ],
      ['a/b.png', `unable to locate image at \`${path}/a/b.png\`: Not a directory (os error 20)`],
    ]);
    const failures = s
      .rollout()
      .flatMap((line) => (line.type === 'response_item' ? (line.metadata?.failure ?? []) : []));
    expect(failures).toEqual(Array(7).fill('execution'));
  });

  test('for a file that may not be read, by its own path or by another', async () => {
    const s = await looking(view('secret/a.png'), view('link.png'), view('./secret/../secret/a.png'));
    s.workspace.write('secret/a.png', await picture(5, 5, 'png'));
    symlinkSync(s.workspace.file('secret/a.png'), s.workspace.file('link.png'));
    const deny_read = [s.workspace.file('secret')];
    await exec(s, { sandbox_mode: 'workspace-write', deny_read });
    const refused = `${s.workspace.file('secret/a.png')} may not be read (deny_read)`;
    expect([...s.outputs(1).values()]).toEqual([refused, refused, refused]);
    expect(imagesOf(s, 1)).toEqual([]);
  });

  test('a model without images is not offered the tool, and gets an error when it calls it', async () => {
    const s = await looking(view('a.png'));
    s.workspace.write('a.png', await picture(5, 5, 'png'));
    await exec(s, { model: 'gpt-oss-20b' });
    expect(JSON.stringify(s.model.requests[0]?.body.tools)).not.toContain('view_image');
    expect(s.outputs(1).get('a.png')).toMatch(/^view_image cannot be used: this model takes no images\./);
  });
});
