import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { renderBlock } from '../../markdown/render-block.ts';
import { lineText } from '../../text/span.ts';
import { lineWidth } from '../../text/wrap.ts';
import { composerText, isComposerEmpty } from '../composer/composer.ts';
import { initialModel } from '../initial-model.ts';
import { textKey } from '../input/keys.ts';
import type { TuiMessage } from '../message.ts';
import type { TuiModel } from '../model.ts';
import type { Entry } from '../view/entry.ts';
import { view } from '../view/view.ts';
import { type KeyAction, keyName } from './key-bindings.ts';
import { anyMessages, askOf, happened } from './test-messages.ts';
import { update } from './update.ts';

const START = initialModel({ columns: 80, rows: 24 }, 10_000);
const THREAD: TuiMessage = { type: 'thread', thread: { id: 't', name: null, hasTurns: false }, entries: [] };

/** Returns the models after each message, the first one before all of them. */
function walk(messages: readonly TuiMessage[], from: TuiModel = START): TuiModel[] {
  const models = [from];
  for (const message of messages) models.push(update(models.at(-1) ?? from, message).model);
  return models;
}

function checkFrame(model: TuiModel): void {
  const { columns, rows } = model.size;
  const { frame } = view(model);
  const shown = frame.kind === 'inline' ? frame.live : frame.rows;
  const most = frame.kind === 'inline' ? Math.max(1, Math.min(rows - 2, 16)) : rows;
  expect(shown.length).toBeLessThanOrEqual(most);
  for (const row of shown) {
    expect(lineWidth(row)).toBeLessThanOrEqual(columns);
    expect(lineText(row)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  }
  if (frame.caret === null) return;
  expect(frame.caret.row).toBeGreaterThanOrEqual(0);
  expect(frame.caret.row).toBeLessThan(Math.max(1, shown.length));
  expect(frame.caret.column).toBeGreaterThanOrEqual(0);
  expect(frame.caret.column).toBeLessThan(Math.max(1, columns));
}

test('any messages make frames that fit the terminal, with the caret in them', () => {
  fc.assert(
    fc.property(
      anyMessages,
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 100 }),
      (messages, columns, rows) => {
        for (const model of walk([THREAD, ...messages])) {
          checkFrame(model);
          checkFrame({ ...model, size: { columns, rows } });
          checkFrame({ ...model, size: { columns: 1, rows: 1 } });
        }
      },
    ),
    { numRuns: runs(500) },
  );
});

test('every entry is committed once and in order', () => {
  fc.assert(
    fc.property(fc.array(anyMessages, { maxLength: 4 }), (parts) => {
      let model = START;
      const committed: Entry[] = [];
      const said: Entry[] = [];
      const draw = () => {
        const { entries } = view(model);
        committed.push(...model.outbox.slice(0, entries));
        model = update(model, { type: 'drawn', entries }).model;
      };
      for (const part of parts) {
        for (const message of part) {
          const before = model.outbox;
          model = update(model, message).model;
          expect(model.outbox.slice(0, before.length)).toEqual(before);
          said.push(...model.outbox.slice(before.length));
        }
        draw();
      }
      model = { ...model, pager: null, look: { ...model.look, renderBlock } };
      draw();
      expect(committed).toEqual(said);
      expect(model.outbox).toEqual([]);
      expect(model.lastEntry).toBe(said.at(-1) ?? null);
    }),
    { numRuns: runs(1000) },
  );
});

const isInput = (message: TuiMessage) =>
  message.type === 'input' && (message.event.type === 'key' || message.event.type === 'paste');

/** Returns the action of the key of a message. */
function actionOf({ keys }: TuiModel, message: TuiMessage): KeyAction | undefined {
  if (message.type !== 'input' || message.event.type !== 'key') return undefined;
  return keys.get(keyName(message.event.key));
}

test('no key and no paste answers a question before it can be read, or while the user types', () => {
  fc.assert(
    fc.property(anyMessages, (messages) => {
      let model: TuiModel = walk([THREAD])[1] ?? START;
      let lastKeyAt = 0;
      // Tab and Down go to the question on purpose. The keys after that may answer.
      let isWanted = false;
      for (const message of messages) {
        const [question] = model.questions;
        const next = update(model, message);
        const answers = next.effects.some(({ type }) => type === 'answer' || type === 'edit');
        if (isInput(message) && answers && question !== undefined && 'at' in message) {
          const isAnswer = next.effects.some((effect) => 'askId' in effect && effect.askId === question.ask.id);
          if (isAnswer) {
            expect(message.at - question.openedAt).toBeGreaterThanOrEqual(400);
            expect(message.type === 'input' && message.event.type).toBe('key');
            expect(isWanted || isComposerEmpty(model.composer)).toBe(true);
            expect(isWanted || question.openedAt - lastKeyAt >= 1000).toBe(true);
          }
        }
        const action = actionOf(model, message);
        const hasMoved = !model.questions[0]?.hasFocus && next.model.questions[0]?.hasFocus === true;
        if (hasMoved) isWanted = action === 'complete' || action === 'down';
        if (isInput(message) && 'at' in message && !model.questions[0]?.hasFocus) lastKeyAt = message.at;
        model = next.model;
      }
    }),
    { numRuns: runs(3000) },
  );
});

const keys = fc.constantFrom('y', 'Y', 'n', 'e', 'x', 'enter', 'up', 'down', 'escape', 'backspace', 'tab', 'paste');

test('a question is never answered by keys of its first 400 ms and what follows them', () => {
  const pause = fc.oneof(fc.nat(150), fc.nat(900));
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, pause), { minLength: 1, maxLength: 30 }), fc.nat(390), (pressed, first) => {
      const asked = walk([THREAD, happened({ type: 'turn.started' }, 10_000)]).at(-1) ?? START;
      let model = update(asked, happened({ type: 'ask.opened', ask: askOf('q', 'rm -rf x') }, 20_000)).model;
      expect(model.questions[0]?.hasFocus).toBe(true);
      // The user was about to type, and goes on with less than a second between the keys.
      let at = 20_000 + first;
      model = update(model, { type: 'input', event: { type: 'key', key: textKey('a') }, at }).model;
      for (const [name, passed] of pressed) {
        at += passed;
        if (name === 'tab' || name === 'down') continue;
        const event =
          name === 'paste'
            ? ({ type: 'paste', text: 'y' } as const)
            : ({ type: 'key', key: name.length === 1 ? textKey(name) : { ...textKey(''), name } } as const);
        const next = update(model, { type: 'input', event, at });
        expect(next.effects.filter(({ type }) => type === 'answer')).toEqual([]);
        model = next.model;
      }
    }),
    { numRuns: runs(2000) },
  );
});

/** Returns the texts of the user that the model holds. */
const held = ({ composer, recall, later, prompts, questions, sending, delayed }: TuiModel): string =>
  [
    composerText(composer),
    ...(recall === null ? [] : [composerText(recall.draft)]),
    ...later.map(composerText),
    ...questions.map(({ refusal }) => (refusal === null ? '' : composerText(refusal))),
    ...prompts,
    ...sending,
    ...delayed,
  ].join('\n');

const DELETES = /^(delete_|undo$|redo$|yank_older$)/;
// One character is never split by the caret.
const WORD = /[\u4e00-\u4e3f]/g;

test('a draft is never lost', () => {
  fc.assert(
    fc.property(anyMessages, (messages) => {
      let model: TuiModel = walk([THREAD])[1] ?? START;
      for (const [index, message] of messages.entries()) {
        const marked = mark(message, index);
        const action = actionOf(model, marked);
        const next = update(model, marked);
        // Sent texts are the thread's business, and the history has them.
        const after = held(next.model) + JSON.stringify(next.effects);
        const before = `${held({ ...model, sending: [] })}`;
        const lost = [...new Set(before.match(WORD))].filter((word) => !after.includes(word));
        const isDeleted = action !== undefined && (DELETES.test(action) || action === 'leave');
        if (!isDeleted) expect({ lost, marked, action }).toEqual({ lost: [], marked, action });
        model = next.model;
      }
    }),
    { numRuns: runs(3000) },
  );
});

/** Returns a message with a word of its own in the text that it types. */
function mark(message: TuiMessage, index: number): TuiMessage {
  if (message.type !== 'input') return message;
  const { event } = message;
  const word = ` ${String.fromCharCode(0x4e00 + index)} `;
  if (event.type === 'paste') return { ...message, event: { ...event, text: `${event.text}${word}` } };
  if (event.type !== 'key' || event.key.name !== 'text' || !/^(a|word )$/.test(event.key.text)) return message;
  return { ...message, event: { ...event, key: textKey(word) } };
}
