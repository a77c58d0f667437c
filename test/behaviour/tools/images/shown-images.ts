import { call } from '../../../../src/testing/index.ts';
import type { Scene } from '../../../harness/scene.ts';

/** Returns a call of view_image, named after the file. */
export function view(path: string) {
  return call('view_image', { path }, { callId: path });
}

/** Returns the images in the outputs of the n-th request (from 0). */
export function imagesOf({ model }: Pick<Scene, 'model'>, n: number) {
  return (model.requests[n]?.body.input ?? []).flatMap((item) => {
    if (item.type !== 'function_call_output' || typeof item.output === 'string') return [];
    return item.output.flatMap((part) => {
      if (part.type !== 'input_image') return [];
      const [, mime, base64] = /^data:(.*);base64,(.*)$/s.exec(part.image_url) ?? [];
      if (mime === undefined || base64 === undefined) throw new Error(`no data URL: ${part.image_url.slice(0, 40)}`);
      return [{ callId: item.call_id, detail: part.detail, mime, bytes: Buffer.from(base64, 'base64') }];
    });
  });
}
