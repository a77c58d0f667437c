import { type WordAtCaret, wordAtCaret } from '../composer/composer.ts';
import { editComposer } from '../composer/edit-composer.ts';
import { opens, step, type UpdateStep } from '../effect.ts';
import type { Key } from '../input/input-event.ts';
import { type List, type ListRow, moveSelection } from '../list.ts';
import type { TuiModel } from '../model.ts';
import type { KeyAction } from './key-bindings.ts';
import { filtered, matching } from './open-choice.ts';
import { sendDraft } from './send.ts';
import { choose, commandRows, runSlash } from './slash.ts';
import { sendNext } from './turn.ts';

type Completion = Extract<List, { kind: 'complete' }>;
type Choice = Extract<List, { kind: 'choose' }>;

/** Returns the model with the list that fits the word at the caret: commands for `/`, files for `@`. */
export function completeWord(model: TuiModel): UpdateStep {
  const { text, start } = wordAtCaret(model.composer);
  // The list of a command stays until it is answered.
  if (model.list?.kind === 'choose') return step(model);
  if (start === 0 && /^\/[\w-]*$/.test(text)) return step({ ...model, list: commandList(text.slice(1)) });
  if (!text.startsWith('@')) return step({ ...model, list: null });
  return step(model, { type: 'find_files', query: text.slice(1) });
}

function commandList(query: string): Completion | null {
  const all = commandRows();
  // The words about a command may fit better than its name, but people type names.
  const [named, others] = [true, false].map((is) => all.filter(({ value }) => value.startsWith(query) === is));
  const rows = query === '' ? all : [...(named ?? []), ...matching(others ?? [], query)];
  return rows.length === 0 ? null : { kind: 'complete', of: 'commands', rows, selected: 0 };
}

/** Returns the model with files for the word at the caret, unless the word has changed since. */
export function showFiles(model: TuiModel, query: string, rows: readonly ListRow[]): TuiModel {
  if (wordAtCaret(model.composer).text !== `@${query}`) return model;
  return { ...model, list: rows.length === 0 ? null : { kind: 'complete', of: 'files', rows, selected: 0 } };
}

/** Returns the step for a key while a list of completions is open. Undefined: the key edits the draft. */
export function completeKey(model: TuiModel, list: List, action: KeyAction | undefined): UpdateStep | undefined {
  if (list.kind !== 'complete') return undefined;
  if (action === 'up' || action === 'down')
    return step({ ...model, list: moveSelection(list, action === 'up' ? -1 : 1) });
  if (action === 'back') return step({ ...model, list: null });
  const row = list.rows[list.selected];
  if ((action !== 'send' && action !== 'complete') || row === undefined) return undefined;
  const { start, end, text: typed } = wordAtCaret(model.composer);
  if (list.of === 'commands' && action === 'send') {
    // A name that only resembles the words about a command is a mistake, unless the command was chosen with the arrows.
    if (list.selected === 0 && !row.value.startsWith(typed.slice(1))) return sendDraft({ ...model, list: null });
    const rest = model.composer.text.slice(end);
    if (rest.trim() !== '') return sendDraft(withWord(model, { start, end, text: `/${row.value}` }));
    const composer = editComposer(model.composer, { type: 'set', text: '' }, 1);
    return runSlash({ ...model, composer, list: null }, row.value);
  }
  const text = list.of === 'commands' ? `/${row.value} ` : `${row.value} `;
  return step(withWord(model, { start, end, text }), { type: 'save_draft' });
}

function withWord(model: TuiModel, word: WordAtCaret): TuiModel {
  const composer = editComposer(model.composer, { type: 'replace', ...word }, Math.max(1, model.size.columns - 2));
  return { ...model, composer, list: null };
}

type ChoiceInput =
  | { readonly type: 'key'; readonly key: Key; readonly action: KeyAction | undefined }
  | { readonly type: 'text'; readonly text: string };

/** Returns the step for input while the list of a command is open. Typed text narrows the list. */
export function choiceKey(model: TuiModel, list: Choice, input: ChoiceInput): UpdateStep {
  const to = (next: Choice | null) => step({ ...model, list: next });
  if (input.type === 'text') return to(filtered(list, list.query + input.text.replace(/\s+/g, ' ')));
  const { key, action } = input;
  if (action === 'up' || action === 'down') return to(moveSelection(list, action === 'up' ? -1 : 1));
  if (key.name === 'page_up' || key.name === 'page_down')
    return to(moveSelection(list, key.name === 'page_up' ? -Math.min(8, list.selected) : 8));
  if (action === 'back') return list.isAsked || list.query === '' ? closeList(model) : to(filtered(list, ''));
  if (action === 'delete_left') return to(filtered(list, [...list.query].slice(0, -1).join('')));
  const row = list.rows[list.selected];
  if (action === 'send' && list.isAsked && row === undefined)
    return step({ ...model, hint: 'Choose a row with the arrows first; Esc leaves it open.' });
  if (action === 'send') return row === undefined ? step(model) : choose({ ...model, list: null }, list.command, row);
  if (action === 'complete')
    return step(model, { type: 'perform', command: list.command, task: { what: 'more', value: list.query } });
  return key.name === 'text' && key.text !== '' ? to(filtered(list, list.query + key.text)) : step(model);
}

/**
 * Returns the step without the list. A list of threads to begin with is followed by a new thread, and the question about
 * trust by the one about a key. Input that waited for an answer goes without it.
 */
export function closeList(model: TuiModel): UpdateStep {
  const { list, thread } = model;
  const next = { ...model, list: null };
  if (list?.kind === 'choose' && list.command === 'trust') return opens(next, 'trust', { what: 'later', value: '' });
  const isFirst = list?.kind === 'choose' && (list.command === 'resume' || list.command === 'fork');
  return thread === null && isFirst ? runSlash(next, 'new') : sendNext(next);
}

/** Returns the step for the row of a list that was chosen by its number. */
export function pickRow(model: TuiModel, index: number): UpdateStep {
  const { list } = model;
  if (list?.kind !== 'choose') return step(model);
  const row = list.rows[index];
  return row === undefined ? closeList(model) : choose({ ...model, list: null }, list.command, row);
}
