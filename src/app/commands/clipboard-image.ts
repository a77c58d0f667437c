import { messageOf } from '../../base/errors.ts';
import { type ClipboardOptions, keepImage, readClipboard } from '../../exec/process/clipboard-image.ts';
import { readImageHeader } from '../../tools/view-image/image-header.ts';

/** An image of the clipboard as a file, or a sentence that says why there is none. */
export type ClipboardImage =
  /** `label` is the size, such as `640×480`. */
  | { readonly type: 'image'; readonly path: string; readonly label: string }
  | { readonly type: 'none'; readonly why: string };

/**
 * Saves the image in the clipboard into a file that only the user can read. The file lies in a new folder below `folder`,
 * which is that for temporary files by default, and stays: the thread may need it again.
 */
export async function readClipboardImage(
  env: ClipboardOptions['env'],
  { folder, platform = process.platform }: { readonly folder?: string; readonly platform?: NodeJS.Platform } = {},
): Promise<ClipboardImage> {
  const content = await readClipboard({ env, platform });
  if (content.type === 'none') return content;
  const header = readImageHeader(content.bytes);
  if (header === undefined) return { type: 'none', why: 'The clipboard has no image that can be read.' };
  try {
    const path = keepImage(content.bytes, header.format, folder);
    return { type: 'image', path, label: `${header.width}×${header.height}` };
  } catch (error) {
    return { type: 'none', why: `The image of the clipboard could not be saved: ${messageOf(error)}` };
  }
}

/** Returns the size of an image file, such as `640×480`, or undefined if the bytes are not an image. */
export function imageLabel(bytes: Uint8Array): string | undefined {
  const header = readImageHeader(bytes);
  return header && `${header.width}×${header.height}`;
}
