import type { ReadAction } from '../../base/action.ts';
import { ToolFailure } from '../../base/errors.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import { systemMessage } from '../apply-patch/system-message.ts';
import type { ToolCode } from '../tool-entry.ts';
import { VIEW_IMAGE_PARAMETERS } from './facts.ts';
import { loadSharp } from './load-sharp.ts';
import { prepareImage } from './prepare-image.ts';

export const createTool = (): ToolCode => viewImage;

/** Shows the model an image. */
export const viewImage: ToolCode<ReadAction> = {
  async plan(call, { inputs, files, resolve }) {
    if (!inputs.images) throw new ToolFailure('execution', NO_IMAGES);
    const args = parseArguments(call, VIEW_IMAGE_PARAMETERS);
    const original = args.detail === 'original' && inputs.originalImages;
    const asked = resolve(args.path);
    const path = await files.locate(asked).catch((error: unknown) => {
      throw unreadable(asked, error);
    });
    return { kind: 'read', path, shown: args.path, detail: original ? 'original' : 'high' };
  },

  async run({ path, shown, detail = 'high' }, environment) {
    const bytes = await environment.read(path).catch((error: unknown) => {
      throw unreadable(path, error);
    });
    const image = await prepareImage(bytes, { detail, shown, sharp: await loadSharp() });
    const image_url = `data:${image.mime};base64,${Buffer.from(image.bytes).toString('base64')}`;
    return { output: [{ type: 'input_image', image_url, detail }], success: true };
  },
};

const NO_IMAGES = 'view_image cannot be used: this model takes no images. Work with the text of files instead.';

/** Pipes and devices are not files either. */
const NO_FILE = ['EISDIR', 'EINVAL'];

function unreadable(path: string, error: unknown): ToolFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = NO_FILE.includes(code)
    ? `image path \`${path}\` is not a file`
    : `unable to locate image at \`${path}\`: ${systemMessage(error)}`;
  return new ToolFailure('execution', message, { cause: error });
}
