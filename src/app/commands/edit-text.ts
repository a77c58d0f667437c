import { editFile } from '../../exec/process/edit-file.ts';

/** The text that the user wrote, or a sentence that says why there is none. */
export type EditedText =
  | { readonly type: 'edited'; readonly text: string }
  | { readonly type: 'unedited'; readonly why: string };

/** Variables that name the editor of the user. */
export interface EditorVariables {
  readonly VISUAL?: string | undefined;
  readonly EDITOR?: string | undefined;
}

/** Lets the user edit a text on the controlling terminal. Rejects when the signal aborts. */
export async function editText(before: string, env: EditorVariables, signal: AbortSignal): Promise<EditedText> {
  const editor = editorOf(env);
  const result = await editFile(editor, `${before}\n`, signal);
  if ('failure' in result) return { type: 'unedited', why: `The editor ${editor} ${result.failure}.` };
  const text = result.text.replace(/\r?\n$/, '');
  if (text.trim() === '') return { type: 'unedited', why: 'The editor left an empty text.' };
  if (text === before) return { type: 'unedited', why: 'The text was not changed.' };
  if (text.includes('\0')) return { type: 'unedited', why: 'The new text has a NUL byte, which no command can have.' };
  return { type: 'edited', text };
}

/**
 * Lets the user write a draft on the controlling terminal. Unlike a command, a draft may be left empty or as it was.
 * Rejects when the signal aborts.
 */
export async function editDraft(before: string, env: EditorVariables, signal: AbortSignal): Promise<EditedText> {
  const editor = editorOf(env);
  const result = await editFile(editor, before === '' ? '' : `${before}\n`, signal, 'prompt.md');
  if ('failure' in result) return { type: 'unedited', why: `The editor ${editor} ${result.failure}.` };
  return { type: 'edited', text: result.text.replace(/\r\n?/g, '\n').replace(/\n$/, '') };
}

const editorOf = ({ VISUAL, EDITOR }: EditorVariables) => VISUAL || EDITOR || 'vi';
