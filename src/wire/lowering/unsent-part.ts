import type { ContentPart } from '../../base/item.ts';

type UnsentPart = Extract<ContentPart, { type: 'input_file' | 'input_audio' }>;

/**
 * Returns the text that stands for a file or a sound for which a wire has no form. Without it the model would answer as
 * if there were none, and its user would not learn why.
 */
export function unsentPart({ type, filename }: UnsentPart): string {
  const name = typeof filename === 'string' && filename !== '' ? ` ${filename}` : '';
  return `[${type === 'input_audio' ? 'sound' : `file${name}`} left out: the server of this model cannot read it]`;
}
