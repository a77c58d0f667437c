import { describe, expect, test } from 'vitest';
import type { EventBody, PlanItem } from '../../base/event.ts';
import { lineText } from '../../text/span.ts';
import { composerText } from '../composer/composer.ts';
import type { Effect } from '../effect.ts';
import { initialModel } from '../initial-model.ts';
import { textKey } from '../input/keys.ts';
import type { TuiMessage } from '../message.ts';
import type { TuiModel } from '../model.ts';
import { view } from '../view/view.ts';
import { askOf, happened, press, typed } from './test-messages.ts';
import { update } from './update.ts';

const THREAD: TuiMessage = { type: 'thread', thread: { id: 't', name: null, hasTurns: true }, entries: [] };
const USAGE = {
  inputTokens: 1,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 1,
  reasoningOutputTokens: 0,
  totalTokens: 2,
};
const STARTED: EventBody = { type: 'turn.started' };
const ENDED: EventBody = { type: 'turn.completed', usage: USAGE, finalResponse: '' };
const ASKED: EventBody = { type: 'ask.opened', ask: askOf('q', 'npm test') };
const APPROVED: EventBody = { type: 'ask.answered', askId: 'q', answer: 'approved' };

/** A key as `<name>`, a pasted text as `paste:…`, a pause in milliseconds, or an event. Any other text is typed. */
type Deed = string | number | EventBody | TuiMessage;

interface Result {
  readonly model: TuiModel;
  readonly effects: readonly Effect[];
  readonly live: readonly string[];
}

/** Returns the state after the user and the thread have done things, a tenth of a second apart. */
function doing(deeds: readonly Deed[], from: readonly TuiMessage[] = [THREAD]): Result {
  let model = initialModel({ columns: 60, rows: 24 }, 0);
  const effects: Effect[] = [];
  let now = 100_000;
  const send = (message: TuiMessage) => {
    const next = update(model, message);
    model = next.model;
    effects.push(...next.effects);
  };
  for (const message of from) send(message);
  for (const deed of deeds) {
    now += typeof deed === 'number' ? deed : 100;
    for (const message of messagesOf(deed, now)) send(message);
  }
  const { frame } = view(model);
  return { model, effects, live: (frame.kind === 'inline' ? frame.live : frame.rows).map(lineText) };
}

function messagesOf(doing: Deed, at: number): readonly TuiMessage[] {
  if (typeof doing === 'number') return [];
  if (typeof doing !== 'string') return [isMessage(doing) ? doing : happened(doing, at)];
  if (doing.startsWith('<')) return [press(doing.slice(1, -1), at)];
  if (doing.startsWith('paste:')) return [{ type: 'input', event: { type: 'paste', text: doing.slice(6) }, at }];
  return typed(doing, at);
}

const MESSAGES = [
  'prompts',
  'files',
  'rows',
  'choose',
  'draft',
  'failed',
  'first',
  'page',
  'thread',
  'resized',
  'input',
  'opened',
];
const isMessage = (doing: EventBody | TuiMessage): doing is TuiMessage => MESSAGES.includes(doing.type);

const kinds = (effects: readonly Effect[]) => effects.map(({ type }) => type).filter((type) => type !== 'save_draft');
const draft = ({ model }: Result) => composerText(model.composer);

describe('a draft', () => {
  test.each([
    ['is sent', ['hello', '<enter>'], ['run', 'remember'], ''],
    ['with only spaces is not sent', ['  ', '<enter>'], [], '  '],
    ['goes on after a backslash', ['one\\', '<enter>', 'two'], [], 'one\ntwo'],
    ['has new lines', ['one', '<alt+enter>', 'two'], [], 'one\ntwo'],
    ['steers a turn', [STARTED, 'more', '<enter>'], ['steer', 'remember'], ''],
    ['waits for the end of a turn', [STARTED, 'next', '<tab>'], ['remember'], ''],
    ['that waited is sent at the end', [STARTED, 'next', '<tab>', ENDED], ['remember', 'run'], ''],
    ['is taken back to be edited', [STARTED, 'next', '<tab>', '<alt+up>'], ['remember'], 'next'],
    ['stays when another waits', [STARTED, 'next', '<tab>', 'now', '<alt+up>'], ['remember'], 'now'],
    ['runs a command of the user', ['!ls -l', '<enter>'], ['user_command', 'remember'], ''],
    ['is put aside, and Up brings it back', ['hello', '<ctrl+c>', '<up>'], [], 'hello'],
    [
      'survives a walk through the history',
      ['he', { type: 'prompts', prompts: ['hey', 'no'] }, '<up>', '<down>'],
      [],
      'he',
    ],
    ['survives Escape', ['hello', '<escape>', '<escape>'], [], 'hello'],
    ['with a path is no command', ['/etc/hosts is wrong', '<enter>'], ['run', 'remember'], ''],
  ] satisfies [string, Deed[], string[], string][])('%s', (_, doings, effects, text) => {
    const result = doing(doings);
    expect(kinds(result.effects)).toEqual(effects);
    expect(draft(result)).toBe(text);
  });

  test('waits until there is a thread', () => {
    const early = doing(['hello', '<enter>'], []);
    expect(kinds(early.effects)).toEqual(['remember']);
    expect(early.live.join('\n')).toContain('› hello  waits');
    expect(kinds(doing(['hello', '<enter>', THREAD], []).effects)).toEqual(['remember', 'run']);
  });

  test.each([
    ['a command opens one', ['/new', '<enter>']],
    ['a command opens one by its name', ['/resume abc', '<enter>']],
    [
      'trust opens it again, also when it opens for the first time meanwhile',
      [{ type: 'choose', command: 'trust', title: '', rows: [{ value: 'yes', label: 'Yes' }] }, '<enter>', THREAD],
    ],
  ] satisfies [string, Deed[]][])('waits for the thread while %s, and so do commands', (_, opening) => {
    const waits = doing([...opening, 'hello', '<enter>', '!ls', '<enter>']);
    expect(kinds(waits.effects)).not.toContain('run');
    expect(kinds(waits.effects)).not.toContain('user_command');
    expect(draft(waits)).toBe('!ls');
    expect(kinds(doing([...opening, 'hello', '<enter>', { type: 'opened' }]).effects)).toContain('run');
    const both = [...opening, '/compact', '<enter>', 'hello', '<enter>'];
    expect(kinds(doing(both).effects).filter((kind) => kind === 'perform')).toHaveLength(1);
    expect(doing([...both, { type: 'opened' }]).effects.at(-1)).toEqual({ type: 'slash', line: 'compact' });
  });

  test('that was replaced by a text of the history is kept', () => {
    expect(doing(['mine', { type: 'draft', text: 'old' }]).model.prompts).toEqual(['mine']);
    const early = doing(['mine', '<ctrl+c>', { type: 'prompts', prompts: ['older'] }]);
    expect(early.model.prompts).toEqual(['mine', 'older']);
  });

  test('of the command line can be brought back when its turn could not run', () => {
    const first: TuiMessage = { type: 'first', text: 'fix it', images: [] };
    const failed: TuiMessage = { type: 'failed', text: 'No key.' };
    expect(draft(doing([failed, '<up>'], [first, THREAD]))).toBe('fix it');
  });

  test('with an image is shown with its text while it is sent', () => {
    const first: TuiMessage = { type: 'first', text: 'look at ', images: ['/a.png'] };
    expect(doing([], [first, THREAD]).live.join('\n')).toContain('› look at [image 1: /a.png]');
  });
});

describe('a turn', () => {
  test('is interrupted by Escape once', () => {
    expect(kinds(doing([STARTED, '<escape>', '<escape>']).effects)).toEqual(['interrupt']);
  });

  test('is interrupted by Ctrl-C, which then leaves when pressed twice', () => {
    const aborted: EventBody = { type: 'turn.aborted', reason: 'interrupted' };
    const { effects, model } = doing([STARTED, '<ctrl+c>', aborted, '<ctrl+c>', '<ctrl+c>']);
    expect(kinds(effects)).toEqual(['interrupt', 'quit']);
    expect(model.stage).toBe('leaving');
  });

  test('is not left by two keys that are far apart', () => {
    expect(kinds(doing(['<ctrl+c>', 3000, '<ctrl+c>']).effects)).toEqual([]);
  });

  test('shows its plan until it ends', () => {
    const plan: PlanItem = {
      type: 'plan',
      id: 'p',
      explanation: null,
      steps: [{ step: 'look', status: 'in_progress' }],
    };
    expect(doing([STARTED, { type: 'item.updated', item: plan }]).live.join('\n')).toContain('look');
    expect(doing([STARTED, { type: 'item.updated', item: plan }, ENDED]).live.join('\n')).not.toContain('look');
    const shown = doing([STARTED, { type: 'item.completed', item: plan }, ENDED]).model.outbox;
    expect(shown).toEqual([{ kind: 'item', item: plan }]);
  });

  test('delays the commands that need its end', () => {
    const doings = [STARTED, '/compact ', '<enter>'];
    expect(doing(doings).model.hint).toBe('/compact runs when this turn has ended.');
    expect(doing(doings).live.join('\n')).toContain('/compact  after this turn');
    expect(doing([...doings, ENDED]).effects).toContainEqual({ type: 'slash', line: 'compact ' });
  });
});

describe('a question', () => {
  const asked = [STARTED, 5000, ASKED, 1000];

  test.each([
    ['y approves', [...asked, 'y'], { type: 'approve', scope: { type: 'once' } }],
    [
      'arrows and Enter choose a scope',
      [...asked, '<down>', '<down>', '<enter>'],
      { type: 'approve', scope: { type: 'thread' } },
    ],
    ['n and Enter decline', [...asked, 'n', '<enter>'], { type: 'decline' }],
    ['n takes words', [...asked, 'n', 'use make?', '<enter>'], { type: 'decline', message: 'use make?' }],
    ['Tab goes to it', [STARTED, 'draft', ASKED, 1000, '<tab>', 'y'], { type: 'approve', scope: { type: 'once' } }],
  ] satisfies [string, Deed[], object][])('%s', (_, doings, answer) => {
    expect(doing(doings).effects).toContainEqual({ type: 'answer', askId: 'q', answer });
  });

  test.each([
    ['Enter alone', [...asked, '<enter>'], ''],
    ['a word', [...asked, 'hello y'], 'hello y'],
    ['a paste', [...asked, 'paste:y', 'y'], 'yy'],
    ['a key of the first 400 ms, and those after it', [STARTED, 5000, ASKED, 'ty', 1000, 'y'], 'tyy'],
    ['a key while there is a draft', [STARTED, 'a', 5000, ASKED, 1000, 'y'], 'ay'],
    ['a key after typing', [STARTED, 'a', '<backspace>', ASKED, 600, 'y'], 'y'],
    ['Tab before it could be read, and a key after it', [STARTED, 'a', ASKED, '<tab>', 1000, 'y'], 'y'],
  ] satisfies [string, Deed[], string][])('is not answered by %s', (_, doings, text) => {
    const result = doing(doings);
    expect(kinds(result.effects)).not.toContain('answer');
    expect(draft(result)).toBe(text);
  });

  test('is not answered by a text that every object has a member for', () => {
    const key: TuiMessage = { type: 'input', event: { type: 'key', key: textKey('constructor') }, at: 200_000 };
    expect(draft(doing([...asked, key]))).toBe('constructor');
  });

  test('that is gone leaves the words for its no among the prompts', () => {
    expect(doing([...asked, 'n', 'use make', APPROVED]).model.prompts).toEqual(['use make']);
    expect(doing([...asked, 'n', 'use make', ENDED]).model.prompts).toEqual(['use make']);
    expect(doing([...asked, 'n', 'use make', '<escape>']).model.prompts).toEqual(['use make']);
  });

  test('waits for the one before it', () => {
    const second: EventBody = { type: 'ask.opened', ask: askOf('r', 'ls') };
    const both = doing([...asked, second]);
    expect(both.live.join('\n')).toContain('1 of 2');
    const next = doing([...asked, second, 2000, 'y', APPROVED]);
    expect(next.live.join('\n')).toContain('ls');
    const { effects } = doing([...asked, second, 2000, 'y', APPROVED, 'y']);
    expect(kinds(effects).filter((type) => type === 'answer')).toHaveLength(1);
  });

  test('closes a pager', () => {
    expect(doing([STARTED, ASKED]).model.pager).toBeNull();
  });
});

describe('a list', () => {
  const files: TuiMessage = { type: 'files', query: 'sr', rows: [{ value: 'src/a.ts', label: 'src/a.ts' }] };
  const trust: TuiMessage = {
    type: 'choose',
    command: 'trust',
    title: 'Do you trust /w?',
    isAsked: true,
    rows: [
      { value: 'yes', label: 'Yes' },
      { value: 'no', label: 'No' },
    ],
  };

  test.each([
    ['completes a file', ['see @sr', files, '<tab>'], 'see src/a.ts '],
    ['of files for another word is not shown', ['see @srx', files, '<tab>'], 'see @srx'],
    ['completes a command', ['/mod', '<tab>'], '/model '],
    ['is closed by Escape', ['/mod', '<escape>'], '/mod'],
  ] satisfies [string, Deed[], string][])('%s', (_, doings, text) => {
    expect(draft(doing(doings))).toBe(text);
  });

  test('is one row each for its title and its rows, whatever characters they have', () => {
    const odd: TuiMessage = {
      type: 'choose',
      command: 'resume',
      title: 'one\ttwo',
      rows: [{ value: 'a', label: 'a\nb' }],
    };
    const query: TuiMessage = { type: 'input', event: { type: 'paste', text: 'a\tb' }, at: 200_000 };
    expect(doing([odd]).live.join('')).not.toMatch(/\p{Cc}/u);
    expect(doing([odd, query]).live.join('')).not.toMatch(/\p{Cc}/u);
  });

  test.each([{}, { isAsked: true }])('does not keep the user from leaving: %j', (how) => {
    const list: TuiMessage = {
      type: 'choose',
      command: 'trust',
      title: '',
      rows: [{ value: 'yes', label: 'Yes' }],
      ...how,
    };
    expect(kinds(doing([list, '<ctrl+d>']).effects)).toEqual(['quit']);
  });

  test('of commands runs no command whose words alone resemble the typed name, unless it was chosen', () => {
    const { model, effects, live } = doing(['/nonsense']);
    expect(live.join('\n')).toContain('/review');
    expect(effects).not.toContainEqual(expect.objectContaining({ type: 'perform' }));
    const sent = doing(['/nonsense', '<enter>']);
    expect(sent.effects.filter(({ type }) => type !== 'save_draft' && type !== 'remember')).toEqual([]);
    expect(sent.model).toMatchObject({ hint: expect.stringContaining('There is no command /nonsense.'), list: null });
    expect(composerText(model.composer)).toBe('/nonsense');
    expect(composerText(doing(['/nonsense', '<tab>']).model.composer)).toBe('/review ');
  });

  test('runs a command with the rest of the draft as its argument', () => {
    const { model } = doing([' my thread', '<home>', '/rena', '<enter>']);
    expect(composerText(model.composer)).toBe('');
    expect(model.prompts).toEqual(['/rename my thread']);
  });

  test('searches the history', () => {
    const { effects, live } = doing([
      { type: 'prompts', prompts: ['fix the test', 'hello'] },
      '<ctrl+r>',
      'fix',
      '<enter>',
    ]);
    expect(effects).toContainEqual({
      type: 'perform',
      command: 'history',
      task: { what: 'put', value: 'fix the test' },
    });
    expect(live.join('\n')).not.toContain('Prompts of all threads');
  });

  test('that asks takes no text and no Enter before a row is marked', () => {
    const typing = doing([trust, 'yes', '<enter>']);
    expect(kinds(typing.effects)).toEqual([]);
    expect(draft(typing)).toBe('yes');
    expect(typing.live.join('\n')).toContain('Do you trust /w?');
    const chosen = doing([trust, '<down>', '<enter>']);
    expect(chosen.effects).toEqual([
      { type: 'perform', command: 'trust', task: { what: 'yes', value: '' }, opens: true },
    ]);
    expect(doing([trust, '<up>', '<enter>']).effects).toEqual([
      { type: 'perform', command: 'trust', task: { what: 'no', value: '' }, opens: true },
    ]);
  });

  test('that asks holds back the first prompt', () => {
    const first: TuiMessage = { type: 'first', text: 'fix it', images: [] };
    expect(kinds(doing([], [first, trust, THREAD]).effects)).toEqual(['remember']);
    const key: TuiMessage = { ...trust, command: 'first-run' };
    expect(kinds(doing(['<escape>'], [first, key, THREAD]).effects)).toEqual(['remember', 'run']);
    // The question about a key comes next.
    expect(kinds(doing(['<escape>'], [first, trust, THREAD]).effects)).toEqual(['remember', 'perform']);
    expect(kinds(doing(['<down>', '<enter>'], [first, trust, THREAD]).effects)).toEqual(['remember', 'perform']);
  });
});

test('an unknown command says so, and Up brings it back', () => {
  const result = doing(['/modle ', '<enter>', '<up>']);
  expect(draft(result)).toBe('/modle ');
  expect(doing(['/modle ', '<enter>']).model.hint).toBe('There is no command /modle. Did you mean /model?');
});
