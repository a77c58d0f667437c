import { fileFault } from '../../base/file-fault.ts';
import { fillBudget, toText } from './fill-budget.ts';
import type { Document, FoundDocument } from './find-document.ts';
import { type Beginning, readBounded } from './read-bounded.ts';
import { wholeCharacters } from './whole-characters.ts';

/** Texts of AGENTS.md files. */
export interface AgentsText {
  /** Null: there is no text. */
  readonly text: string | null;
  /** Sentences for the user about files that were left out, wholly or in part. */
  readonly faults: readonly string[];
}

export interface AgentsFiles {
  /** Files of the home. The first one with a text counts. */
  readonly home: readonly FoundDocument[];
  /** Files of the project, outermost first. */
  readonly project: readonly FoundDocument[];
  /** Limit on the bytes of the project's files together. */
  readonly maxBytes: number;
}

/** Limit on the bytes of the home's file, so that a huge one does no harm. It is not part of the project's limit. */
const HOME_BYTES = 32 * 1024;

/** Reads the files and joins their texts. */
export function composeAgents({ home, project, maxBytes }: AgentsFiles): AgentsText {
  const faults = [...home, ...project].flatMap((one) => ('fault' in one ? [`${one.path} ${one.fault}`] : []));
  const read = ({ path, real }: Document, limit: number): Beginning | undefined => {
    try {
      return readBounded(real, limit);
    } catch (error) {
      faults.push(`${path} cannot be read: ${fileFault(error)}.`);
      return undefined;
    }
  };
  const first = firstText(home.filter(isUsable), (file) => read(file, Math.max(maxBytes, HOME_BYTES)));
  // In the home itself, the home's file is part of the text already.
  const files = project.filter(isUsable).filter(({ path }) => path !== first?.path);
  const { texts, cut, dropped } = fillBudget(files, maxBytes, read);
  const leftOut = [...(cut === null ? [] : [`the rest of ${cut.path}`]), ...dropped.map(({ path }) => path)].join(', ');
  if (leftOut !== '') faults.push(tooMuch(leftOut, maxBytes));
  const rest = [...texts, ...(leftOut === '' ? [] : [noteOf(leftOut, maxBytes)])].join('\n\n');
  const all = [...(first ? [first.text] : []), ...(rest === '' ? [] : [rest])];
  return { text: all.length === 0 ? null : all.join('\n\n--- project-doc ---\n\n'), faults };
}

const isUsable = (found: FoundDocument): found is Document => !('fault' in found);

function firstText(
  files: readonly Document[],
  read: (file: Document) => Beginning | undefined,
): { readonly path: string; readonly text: string } | undefined {
  for (const file of files) {
    const beginning = read(file);
    if (beginning === undefined) continue;
    const text = toText(beginning.whole ? beginning.bytes : wholeCharacters(beginning.bytes)).trim();
    if (text === '') continue;
    return {
      path: file.path,
      text: beginning.whole ? text : `${text}\n\n[The rest of ${file.path} is left out: it is too long.]`,
    };
  }
  return undefined;
}

function tooMuch(leftOut: string, maxBytes: number): string {
  return `AGENTS.md files of this project have more than ${maxBytes} bytes; the model is not told ${leftOut}. Shorten them, or set project_doc_max_bytes in config.toml.`;
}

/** Returns a note for the model, which may read the rest itself. */
function noteOf(leftOut: string, maxBytes: number): string {
  return `[Left out, because these files may have ${maxBytes} bytes together: ${leftOut}. Read there what you need.]`;
}
