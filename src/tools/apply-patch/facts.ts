import type { ToolSpec } from '../../base/tool.ts';
import type { ToolFacts } from '../tool-entry.ts';
import description from './description.md';

const NAME = 'apply_patch';

/** Format of patches in Lark, for servers that constrain the model to it. The parser accepts more than this grammar. */
const PATCH_GRAMMAR = `start: "*** Begin Patch" LF section+ "*** End Patch" LF?

section: add | delete | update

add: "*** Add File: " PATH LF (ADDED LF)+
delete: "*** Delete File: " PATH LF
update: "*** Update File: " PATH LF move? changes?

move: "*** Move to: " PATH LF
changes: (place | CHANGED LF)+ end_of_file?
place: "@@" LF | "@@ " HEADING LF
end_of_file: "*** End of File" LF

PATH: /[^\\n]+/
HEADING: /[^\\n]+/
ADDED: /\\+[^\\n]*/
CHANGED: /[+\\- ][^\\n]*/
LF: "\\n"
`;

/** Specs of the tool: as a custom tool with a text in the format of patches, or as a function. */
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
