import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UserError } from '../base/errors.ts';
import { fileFault } from '../base/file-fault.ts';
import type { Input, InputPart } from '../base/input.ts';
import type { ContentPart } from '../base/item.ts';

const LARGEST_IMAGE_BYTES = 20 * 1024 * 1024;

/**
 * Returns a user's input as the parts of one message: images first, each between two texts that name it, then the
 * texts. `onWarning` gets a sentence about each optional image that cannot be sent. Throws `UserError` for other images.
 */
export async function inputContent(
  input: Input,
  cwd: string,
  onWarning: (message: string) => void = () => {},
): Promise<readonly ContentPart[]> {
  if (typeof input === 'string') return [text(input)];
  const images: ContentPart[] = [];
  let count = 0;
  for (const part of input) {
    if (part.type === 'text') continue;
    const name = `name=[Image #${++count}]`;
    if (part.type === 'image') images.push(text(`<image ${name}>`), picture(part.url), text('</image>'));
    else images.push(...(await localImage(part, name, { cwd, onWarning })));
  }
  const texts = input.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return [...images, ...(texts.length === 0 ? [] : [text(texts.join('\n\n'))])];
}

async function localImage(
  { path, optional }: Extract<InputPart, { type: 'local_image' }>,
  name: string,
  { cwd, onWarning }: { readonly cwd: string; readonly onWarning: (message: string) => void },
): Promise<readonly ContentPart[]> {
  const framed = (content: ContentPart) => [text(`<image ${name} path="${path}">`), content, text('</image>')];
  try {
    return framed(picture(await dataUrl(resolve(cwd, path))));
  } catch (error) {
    if (!optional || !(error instanceof UserError)) throw error;
    onWarning(`${error.message} The model is told that it does not see this file.`);
    if (error.code !== 'storage') return framed(text(OMITTED));
    return [text(`Oxbow could not read the local image at \`${path}\`: ${fileFault(error.cause)}`)];
  }
}

/** The text that Codex sends in place of such a file. */
const OMITTED = 'image content omitted because it could not be processed';

const picture = (image_url: string): ContentPart => ({ type: 'input_image', image_url, detail: 'high' });
const text = (value: string): ContentPart => ({ type: 'input_text', text: value });

async function dataUrl(path: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new UserError('storage', `The image ${path} cannot be read: ${fileFault(error)}.`, { cause: error });
  }
  const type = imageType(bytes);
  if (type === undefined)
    throw new UserError(
      'invalid_input',
      `${path} is not an image that can be sent: it must be PNG, JPEG, GIF or WebP.`,
    );
  if (bytes.length > LARGEST_IMAGE_BYTES)
    throw new UserError('invalid_input', `The image ${path} is larger than 20 MB.`);
  return `data:${type};base64,${bytes.toString('base64')}`;
}

/** Returns the type of an image by its first bytes. The name of the file does not count. */
function imageType(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('\x89PNG\r\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF8')) return 'image/gif';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : undefined;
}
