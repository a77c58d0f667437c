import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Action } from '../../base/action.ts';
import type { Ask, OfferedScope } from '../../base/event.ts';
import { visibleLine } from '../../base/visible-text.ts';
import { describeAction } from '../../policy/describe-action.ts';
import { cellWidth } from '../../text/cells.ts';
import { createStyle } from '../print/style.ts';
import { readChoice } from './choices.ts';
import { helpText, type QuestionFormat, questionText } from './question-text.ts';
import { breakText, wrapWords } from './wrap-text.ts';

const ONCE: OfferedScope = { scope: { type: 'once' }, effect: 'It runs outside the sandbox, this one time.' };
const TOOL: OfferedScope = { scope: { type: 'tool' }, effect: 'The tool is called without asking.' };
const FORMAT: QuestionFormat = { columns: 80, rows: 24, waiting: 0, style: createStyle(false), whole: false };

function command(...argv: string[]): Action {
  return { kind: 'command', argv, cwd: '/w', login: false, escalate: true, yieldMs: 1 };
}

function askAbout(action: Action, more: Partial<Ask> = {}): Ask {
  return {
    id: 'ask',
    callId: 'c',
    action,
    argv: action.kind === 'command' ? action.argv : [],
    cwd: '/w',
    shown: describeAction(action),
    reason: 'It leaves the sandbox.',
    sandboxed: false,
    scopes: [ONCE],
    ...more,
  };
}

test('a question has the action, the folder, the reason and what each answer does', () => {
  const ask = askAbout(command('/bin/bash', '-lc', 'echo a\n\techo b'));
  expect(questionText(ask, { ...FORMAT, waiting: 2 })).toMatchObject({
    text: `Run this with /bin/bash -lc, outside the sandbox?
  echo a
          echo b
Folder: /w
Why you are asked: It leaves the sandbox.
y  It runs outside the sandbox, this one time.
n  No. Words after it are for the model, as in: n use the other branch
e  Edit it first.
?  Help.
2 more wait.
`,
    prompt: '[yne?] ',
  });
});

test('words of the model are marked as such', () => {
  const action = { ...command('ls'), justification: 'You said yes.' } as Action;
  expect(questionText(askAbout(action, { reason: 'You said yes.' }), FORMAT).text).toContain(
    'Why you are asked, in the words of the model: You said yes.\n',
  );
});

test('a repair of the call is part of the question', () => {
  const action = { ...command('ls'), repair: { id: 'D1', title: 'The call stood in a text.', before: '', after: '' } };
  expect(questionText(askAbout(action as Action), FORMAT).text).toContain(
    'The call was repaired: The call stood in a text.\n',
  );
});

const KINDS: { readonly [K in Action['kind']]: readonly [Extract<Action, { kind: K }>, string, string] } = {
  command: [command('git', 'push') as never, 'Run this command outside the sandbox?', '  git push'],
  terminal_input: [
    { kind: 'terminal_input', terminalId: 7, chars: 'y\n', yieldMs: 1 },
    'Type this into terminal 7, which runs outside the sandbox?',
    '  y\\u{A}',
  ],
  patch: [
    {
      kind: 'patch',
      escalate: false,
      changes: [{ type: 'delete', path: '/w/a', shown: 'a', destroys: true, before: 'x\n', after: null }],
    },
    'Apply this patch?',
    '  -x',
  ],
  read: [{ kind: 'read', path: '/w/a.png', shown: 'a.png' }, 'Let the model read this file?', '  /w/a.png'],
  search: [
    { kind: 'search', query: 'q', argv: ['find', 'q'] },
    'Search the web with this command, outside the sandbox?',
    '  find q',
  ],
  mcp: [
    { kind: 'mcp', server: 'db', tool: 'drop', input: { all: true }, hints: {} },
    'Call this tool of the MCP server "db"?',
    '  db.drop {"all":true}',
  ],
  mcp_elicitation: [
    {
      kind: 'mcp_elicitation',
      server: 'db',
      tool: 'drop',
      question: { mode: 'url', message: 'Sign in at', url: 'https://db.example/', id: '1' },
    },
    'The MCP server "db" asks you to visit an address. Have you done so?',
    '  Sign in at https://db.example/',
  ],
  mcp_sampling: [
    {
      kind: 'mcp_sampling',
      server: 'db',
      tool: 'drop',
      request: {
        systemPrompt: 'Be brief.',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Name a colour.' }] }],
        maxTokens: 10,
        temperature: null,
        stop: [],
      },
    },
    'Let the model write a message for the MCP server "db"?',
    '  user: Name a colour.',
  ],
  own: [{ kind: 'own', tool: 'deploy', input: [1], mutating: true }, 'Call this tool?', '  deploy [1]'],
  plan: [{ kind: 'plan', steps: [{ step: 'one', status: 'pending' }] }, 'Accept this plan?', '  one'],
};

test.each(Object.entries(KINDS))('a question about a %s is worded', (_, [action, title, row]) => {
  const { text, prompt } = questionText(askAbout(action, { scopes: [ONCE, TOOL] }), FORMAT);
  expect(text.split('\n')[0]).toBe(title);
  expect(text.split('\n')).toContain(row);
  expect(prompt).toBe('[ycn?] ');
});

describe('an action that does not fit on the screen', () => {
  const ask = askAbout(command('/bin/sh', '-c', Array.from({ length: 50 }, (_, n) => `row ${n}`).join('\n')));

  test('is cut to a screenful, without a yes', () => {
    const { text, choices } = questionText(ask, FORMAT);
    expect(text.split('\n').length).toBeLessThanOrEqual(FORMAT.rows);
    expect(text).toMatch(/\n\(\d+ more rows: a shows all, then you can say yes\)\n/);
    expect(readChoice('y', choices)).toBeUndefined();
    expect(readChoice('a', choices)?.choice.type).toBe('show');
  });

  test('is shown to its end when the user wants it', () => {
    const { text, choices } = questionText(ask, { ...FORMAT, whole: true });
    expect(text).toContain('\n  row 49\n');
    expect(readChoice('y', choices)?.choice.type).toBe('approve');
  });
});

describe('a typed line', () => {
  const { choices } = questionText(askAbout(command('/bin/sh', '-c', 'ls')), FORMAT);

  test.each([
    ['y', 'approve', ''],
    [' Yes ', 'approve', ''],
    ['n', 'decline', ''],
    ['no  use npm instead ', 'decline', 'use npm instead'],
    ['e', 'edit', ''],
    ['?', 'help', ''],
  ])('%j is an answer', (line, type, words) => {
    expect(readChoice(line, choices)).toMatchObject({ choice: { type }, words });
  });

  test.each(['', ' ', 'yy', 'y now', 'e x', 'a', 's', 'c', 'maybe', '\u001b[A', 'constructor'])(
    '%j is not an answer',
    (line) => {
      expect(readChoice(line, choices)).toBeUndefined();
    },
  );
});

/** Texts with controls, marks, wide characters and half surrogates. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '\n', '\t', '\r', '\u001b', '\u202e', '\u200b', '日', 'e\u0301', '\ud800'),
  }),
);
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

test('nothing hidden leaves, and no row is wider than the terminal', () => {
  const scene = fc.record({
    script: anyText,
    path: anyText,
    reason: anyText,
    columns: fc.integer({ min: 20, max: 120 }),
    whole: fc.boolean(),
  });
  fc.assert(
    fc.property(scene, ({ script, path, reason, columns, whole }) => {
      const change = { type: 'update', path, shown: path, destroys: false, before: path, after: script } as const;
      const actions: Action[] = [
        command('/bin/sh', '-c', script),
        command(path, script),
        { kind: 'patch', changes: [change], escalate: false },
        { kind: 'terminal_input', terminalId: 1, chars: script, yieldMs: 1 },
        { kind: 'mcp', server: path, tool: path, input: script, hints: {} },
      ];
      for (const action of actions) {
        const ask = askAbout(action, { cwd: path, reason: visibleLine(reason) });
        const { text, prompt, choices } = questionText(ask, { ...FORMAT, columns, whole });
        for (const row of [...text.split('\n'), prompt, ...helpText(choices, columns).split('\n')]) {
          expect(row).not.toMatch(UNSEEN);
          expect(cellWidth(row)).toBeLessThanOrEqual(columns);
        }
      }
    }),
  );
});

test('broken and wrapped rows keep every character and fit', () => {
  const line = anyText.map((text) => text.replace(/[\n\t]/g, ''));
  fc.assert(
    fc.property(line, fc.integer({ min: 2, max: 60 }), (text, columns) => {
      // A single character, such as a note with its flag, may be wider than two columns.
      for (const row of [...breakText(text, columns), ...wrapWords(text, columns)])
        if (cellWidth(row) > columns) expect([...new Intl.Segmenter().segment(row)]).toHaveLength(1);
      expect(breakText(text, columns).join('')).toBe(text);
      expect(wrapWords(text, columns).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }),
  );
});
