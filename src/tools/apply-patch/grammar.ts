/** The format of patches in Lark, for servers that hold the model to it. The parser takes more than this. */
export const PATCH_GRAMMAR = `start: "*** Begin Patch" LF section+ "*** End Patch" LF?

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
