import type { ToolSpec } from '../../base/tool.ts';
import type { ToolFacts } from '../tool-entry.ts';
import description from './description.md';

const path = { type: 'string', description: 'The image file, absolute or relative to the working directory.' } as const;
const detail = {
  type: 'string',
  enum: ['high', 'original'],
  description: 'original keeps all pixels, for small print or exact places. Default high.',
} as const;

export const VIEW_IMAGE_PARAMETERS = {
  type: 'object',
  properties: { path, detail },
  required: ['path'],
  additionalProperties: false,
} as const;

/** Returns the spec of the tool. Only a model that accepts images at their original size can choose the detail. */
export function viewImageSpec({ originalImages }: { readonly originalImages: boolean }): ToolSpec {
  return {
    type: 'function',
    name: 'view_image',
    description: description.trim(),
    strict: false,
    parameters: originalImages ? VIEW_IMAGE_PARAMETERS : { ...VIEW_IMAGE_PARAMETERS, properties: { path } },
  };
}

export const viewImageFacts = {
  name: 'view_image',
  accepts: ['function'],
  spec: viewImageSpec({ originalImages: false }),
  parallel: true,
  offer: ({ viewImage }) => viewImage !== null && viewImageSpec(viewImage),
} as const satisfies ToolFacts;
