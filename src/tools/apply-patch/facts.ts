import type { ToolSpec } from '../../base/tool.ts';
import type { ToolFacts } from '../tool-entry.ts';
import description from './description.md';
import { PATCH_GRAMMAR } from './grammar.ts';

const NAME = 'apply_patch';

/** How the tool may be offered: as one that takes a text in the format of patches, or as a function. */
const APPLY_PATCH_SPECS = {
  freeform: {
    type: 'custom',
    name: NAME,
    description: description.trim(),
    format: { type: 'grammar', syntax: 'lark', definition: PATCH_GRAMMAR },
  },
  function: {
    type: 'function',
    name: NAME,
    description: description.trim(),
    strict: false,
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole patch, from its first line to its last.' } },
      required: ['input'],
      additionalProperties: false,
    },
  },
} as const satisfies Record<string, ToolSpec>;

export const applyPatchFacts = {
  name: NAME,
  aliases: ['applypatch'],
  accepts: ['custom', 'function'],
  spec: APPLY_PATCH_SPECS.freeform,
  parallel: false,
  offer: ({ applyPatch }) => applyPatch !== null && APPLY_PATCH_SPECS[applyPatch],
} as const satisfies ToolFacts;
