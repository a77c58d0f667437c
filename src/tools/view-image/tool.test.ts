import { expect, test } from 'vitest';
import type { CallEnvironment } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { ToolCall, View } from '../../base/tool.ts';
import { viewImageSpec } from './facts.ts';
import { plain } from './test-images.ts';
import { viewImage } from './tool.ts';

const call = (args: object): ToolCall => ({
  callId: 'c',
  name: 'view_image',
  payload: { kind: 'function', arguments: JSON.stringify(args) },
});

const view = (inputs: View['inputs']) =>
  ({
    inputs,
    resolve: (path: string) => `/w/${path}`,
    files: { locate: async (path: string) => `/real${path}` },
  }) as unknown as View;

const environment = (read: CallEnvironment['read']) => ({ read }) as unknown as CallEnvironment;
const ALL = { images: true, originalImages: true };

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: whatever Node says, open '/w/a'`), { code });
}

test('the plan is to read the file that the path leads to', async () => {
  expect(await viewImage.plan(call({ path: 'a.png' }), view(ALL))).toEqual({
    kind: 'read',
    path: '/real/w/a.png',
    shown: 'a.png',
    detail: 'high',
  });
});

test('original is planned for models that accept it, and high for others', async () => {
  const wanted = call({ path: 'a', detail: 'original' });
  expect(await viewImage.plan(wanted, view(ALL))).toMatchObject({ detail: 'original' });
  expect(await viewImage.plan(wanted, view({ images: true, originalImages: false }))).toMatchObject({ detail: 'high' });
});

test('the spec has detail only when the model has a choice', () => {
  const keys = (originalImages: boolean) => {
    const spec = viewImageSpec({ originalImages });
    return spec.type === 'function' ? Object.keys(spec.parameters.properties ?? {}) : [];
  };
  expect(keys(true)).toEqual(['path', 'detail']);
  expect(keys(false)).toEqual(['path']);
});

test('the call fails for a model without image input', async () => {
  const plan = viewImage.plan(call({ path: 'a' }), view({ images: false, originalImages: false }));
  await expect(plan).rejects.toThrow('view_image cannot be used: this model takes no images.');
});

test('the output is the image as a data URL', async () => {
  const bytes = await plain(4, 4, 'png');
  const result = await viewImage.run(
    { kind: 'read', path: '/a', shown: 'a' },
    environment(async () => bytes),
  );
  const image_url = `data:image/png;base64,${bytes.toString('base64')}`;
  expect(result).toEqual({ output: [{ type: 'input_image', image_url, detail: 'high' }], success: true });
});

test.each([
  [systemError('ENOENT'), 'unable to locate image at `/w/a`: No such file or directory (os error 2)'],
  [systemError('EACCES'), 'unable to locate image at `/w/a`: Permission denied (os error 13)'],
  [new Error('strange'), 'unable to locate image at `/w/a`: strange'],
  [systemError('EISDIR'), 'image path `/w/a` is not a file'],
  [systemError('EINVAL'), 'image path `/w/a` is not a file'],
])('what cannot be read is named (%#)', async (error, text) => {
  const run = viewImage.run(
    { kind: 'read', path: '/w/a', shown: 'a' },
    environment(() => Promise.reject(error)),
  );
  await expect(run).rejects.toEqual(new ToolFailure('execution', text));
});

test('a missing path is named too', async () => {
  const looping = view(ALL);
  const files = { ...looping.files, locate: () => Promise.reject(systemError('ELOOP')) };
  await expect(viewImage.plan(call({ path: 'a' }), { ...looping, files })).rejects.toThrow(
    'unable to locate image at `/w/a`: Too many levels of symbolic links (os error 40)',
  );
});
