import type { RewindPoint, RewindPreview, RewindReport } from '../../app/thread/rewind.ts';
import { relativeTime } from '../../text/relative-time.ts';
import { step } from '../effect.ts';
import type { ListRow } from '../list.ts';
import type { TuiMessage } from '../message.ts';
import { openChoice } from '../update/open-choice.ts';
import { told } from './notice.ts';
import type { SlashCommand } from './slash-command.ts';

/** Goes back to the state before a turn: the talk, the files, or both. The list of files is shown before the choice. */
export const rewind: SlashCommand = {
  summary: 'go back to an earlier turn: talk, files or both',
  whileIdle: true,
  begin(model) {
    if (!model.thread?.hasTurns) return step({ ...model, hint: 'The thread has no turns yet.' });
    return step(openChoice(model, { command: 'rewind', title: 'Go back to before which input?' }), {
      type: 'perform',
      command: 'rewind',
      task: { what: 'list', value: '' },
    });
  },
  choose(model, { value }) {
    const [what = '', turn = ''] = value.split(' ');
    if (what === 'nothing') return step(model);
    return step(model, { type: 'perform', command: 'rewind', task: { what, value: turn } });
  },
  async perform({ thread, model }, { what, value }) {
    if (what === 'list') {
      const points = await thread.rewindPoints();
      return [{ type: 'rows', command: 'rewind', rows: points.map((point) => pointRow(point, model.now)) }];
    }
    if (what === 'preview') return choices(await thread.previewRewind({ to: value }));
    const which = what === 'talk' || what === 'files' ? what : 'both';
    return done(thread.id, await thread.rewind({ to: value, what: which }));
  },
};

function pointRow({ turn, input, startedAt, changedFiles, filesFault }: RewindPoint, now: number): ListRow {
  const when = startedAt === null ? '' : relativeTime(startedAt, now);
  const files =
    filesFault !== null || changedFiles === null
      ? 'files unknown'
      : `${filesOf(changedFiles)} ${changedFiles === 1 ? 'differs' : 'differ'} since`;
  return {
    value: `preview ${turn}`,
    label: input === '' ? '(no text)' : input,
    detail: [when, files].filter(Boolean).join(', '),
  };
}

const filesOf = (count: number) => (count === 1 ? '1 file' : `${count} files`);

const MOST_CHANGES = 20;
const SIGNS = { create: '+', update: '~', delete: '-', mode: '~' } as const;

/** Returns the files that would change, and the three ways to go back. None of them is the usual one. */
function choices(preview: RewindPreview): TuiMessage[] {
  const { turn, input, inputs, changes, left, talkFault, filesFault } = preview;
  const files = changes.slice(0, MOST_CHANGES).map(({ path, action, added, removed }) => {
    const lines = added === null || removed === null ? '' : `  +${added} -${removed}`;
    return `  ${SIGNS[action]} ${path}${lines}`;
  });
  const more = changes.length > MOST_CHANGES ? [`  … ${changes.length - MOST_CHANGES} more`] : [];
  const kept = left.length === 0 ? [] : [`  ${filesOf(left.length)} would be left alone`];
  const text = [
    `Before "${input}", these files would change:`,
    ...(files.length === 0 ? ['  none'] : files),
    ...more,
    ...kept,
  ];
  const talk = `${inputs} ${inputs === 1 ? 'input' : 'inputs'} and everything after`;
  const rows: ListRow[] = [
    { value: 'nothing', label: 'Nothing', detail: 'stay here' },
    ...(talkFault === null ? [{ value: `talk ${turn}`, label: 'Talk only', detail: `forgets ${talk}` }] : []),
    ...(filesFault === null ? [{ value: `files ${turn}`, label: 'Files only', detail: filesOf(changes.length) }] : []),
    ...(talkFault === null && filesFault === null
      ? [{ value: `both ${turn}`, label: 'Talk and files', detail: `forgets ${talk}; ${filesOf(changes.length)}` }]
      : []),
  ];
  const faults = [talkFault, filesFault].flatMap((fault) => (fault === null ? [] : [told(fault, 'warning')]));
  return [
    told(text.join('\n'), 'plain'),
    ...faults,
    { type: 'choose', command: 'rewind', title: 'Go back with', rows },
  ];
}

function done(id: string, { inputs, files, undoTree, undoTurn }: RewindReport): TuiMessage[] {
  const talk = inputs === 0 ? [] : [`${inputs} ${inputs === 1 ? 'input is' : 'inputs are'} taken back.`];
  const failed = files?.changes.filter(({ failure }) => failure !== null).length ?? 0;
  const restored = files === null ? [] : [`${filesOf(files.changes.length - failed)} restored.`];
  const notes = failed === 0 ? [] : [`${filesOf(failed)} could not be restored.`];
  const undo = [
    ...(undoTree === null ? [] : [`To bring the files back: oxbow threads restore ${id} --tree ${undoTree}`]),
    ...(undoTurn === null ? [] : [`To bring the turns back, in a copy: oxbow fork ${id} --at ${undoTurn}`]),
  ];
  return [told([...talk, ...restored, ...notes, ...undo].join('\n'))];
}
