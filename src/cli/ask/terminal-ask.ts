import { editText } from '../../app/commands/edit-text.ts';
import type { Answer, Ask } from '../../base/event.ts';
import { visibleLine } from '../../base/visible-text.ts';
import type { ExecValues } from '../exec/exec-task.ts';
import type { Interrupt } from '../interrupt-signal.ts';
import { UsageError } from '../parse-options.ts';
import { createStyle, type Style, wantsColor } from '../print/style.ts';
import { scriptIn } from './action-text.ts';
import { readChoice, type TypedChoice } from './choices.ts';
import { openQuestionTerminal, type QuestionTerminal } from './question-terminal.ts';
import { helpText, questionText } from './question-text.ts';

/** Asks the user on the controlling terminal, one question after the other. */
export interface TerminalAsk {
  /** Asks one question, after those that came before it. */
  answer(ask: Ask, signal: AbortSignal, interrupt: Interrupt): Promise<Answer>;
  /** Writes to standard error. While a question is open, the text waits, since both may be on the same screen. */
  write(text: string): void;
}

/** Checks that the user can be asked. Throws `UsageError`. */
export function openTerminalAsk(values: ExecValues): TerminalAsk {
  if (values['dangerously-bypass-approvals-and-sandbox'] || values.yolo)
    throw new UsageError('--ask cannot be used with --dangerously-bypass-approvals-and-sandbox, which never asks.');
  if (values['input-format'] === 'jsonl' && process.stdin.isTTY)
    throw new UsageError(
      '--ask reads the answers from the terminal, so the lines of --input-format jsonl need a pipe.',
    );
  try {
    openQuestionTerminal().close();
  } catch {
    throw new UsageError('--ask needs a terminal to ask on, and this process has none. Start it from a terminal.');
  }
  const usesColor = wantsColor(values.color ?? 'auto', process.env.TERM !== 'dumb', process.env.NO_COLOR);
  return createTerminalAsk(createStyle(usesColor));
}

function createTerminalAsk(style: Style): TerminalAsk {
  const output = createHeldOutput((text) => void process.stderr.write(text));
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function askNext(ask: Ask, signal: AbortSignal, interrupt: Interrupt): Promise<Answer> {
    waiting--;
    if (signal.aborted) return { type: 'abort' };
    output.hold();
    try {
      return await askOnTerminal({ ask, signal, interrupt, style, waiting: () => waiting });
    } finally {
      output.release();
    }
  }

  return {
    answer(ask, signal, interrupt) {
      waiting++;
      const answered = last.then(() => askNext(ask, signal, interrupt));
      last = answered.catch(() => undefined);
      return answered;
    },
    write: output.write,
  };
}

/** Returns an output that can be held back, and that ends its line before. */
function createHeldOutput(output: (text: string) => void) {
  let held: string[] | undefined;
  let atLineStart = true;
  function write(text: string): void {
    if (held) held.push(text);
    else if (text !== '') {
      output(text);
      // An erased line is followed by nothing.
      atLineStart = text.endsWith('\n') || text.endsWith('\r\u001b[K');
    }
  }
  return {
    write,
    hold() {
      if (!atLineStart) write('\n');
      held = [];
    },
    release() {
      const texts = held ?? [];
      held = undefined;
      for (const text of texts) write(text);
    },
  };
}

interface OpenQuestion {
  readonly ask: Ask;
  readonly signal: AbortSignal;
  readonly interrupt: Interrupt;
  readonly style: Style;
  /** Returns the number of questions that wait for this one. */
  waiting(): number;
}

async function askOnTerminal(question: OpenQuestion): Promise<Answer> {
  const { signal, interrupt, style } = question;
  let terminal: QuestionTerminal;
  try {
    terminal = openQuestionTerminal();
  } catch {
    return GONE;
  }
  try {
    const answer = await readAnswerFrom(terminal, question);
    if (answer.type === 'abort') interrupt.stop();
    terminal.write(`${style.dim(decisionText(answer, question.ask))}\n`);
    return answer;
  } catch (error) {
    if (!signal.aborted) throw error;
    terminal.write(`\n${style.dim('Not allowed: the turn was interrupted.')}\n`);
    return { type: 'abort' };
  } finally {
    terminal.close();
  }
}

type TerminalAnswer = Exclude<Answer, string | { readonly type: 'suspend' }>;

const GONE = { type: 'decline', message: 'the terminal of the user is gone' } as const;

/** Shows the question until it is answered. */
async function readAnswerFrom(terminal: QuestionTerminal, question: OpenQuestion): Promise<TerminalAnswer> {
  const { ask, signal, style, waiting } = question;
  const { columns, rows } = terminal;
  let whole = false;
  const show = () => {
    const shown = questionText(ask, { columns, rows, waiting: waiting(), style, whole });
    terminal.write(`\n${shown.text}`);
    return shown;
  };
  let { choices, prompt } = show();
  for (;;) {
    const line = await terminal.readLine(prompt, signal);
    if (line.type === 'gone') return GONE;
    if (line.type === 'interrupt') return { type: 'abort' };
    const typed = line.type === 'line' ? readChoice(line.text, choices) : undefined;
    const answer = typed && (await answerOf(typed, question, terminal));
    if (answer) return answer;
    if (line.type === 'pasted') terminal.write('Several lines came at once. Nothing was decided.\n');
    else if (!typed || typed.choice.type === 'help') terminal.write(helpText(choices, columns));
    if (typed?.choice.type !== 'show') continue;
    whole = true;
    ({ choices, prompt } = show());
  }
}

/** Returns the answer that a choice means. Undefined: the question is still open. */
async function answerOf(
  { choice, words }: TypedChoice,
  { ask, signal, interrupt }: OpenQuestion,
  terminal: QuestionTerminal,
): Promise<TerminalAnswer | undefined> {
  if (choice.type === 'approve') return { type: 'approve', scope: choice.offered.scope };
  if (choice.type === 'decline') return { type: 'decline', ...(words === '' ? {} : { message: words }) };
  const { action } = ask;
  const script = scriptIn(action);
  if (choice.type !== 'edit' || script === undefined || action.kind !== 'command') return undefined;
  // Ctrl-C is a key of many editors.
  const resume = interrupt.holdKeys();
  const edited = await editText(script, process.env, signal).finally(resume);
  if (edited.type === 'unedited') {
    terminal.write(`${visibleLine(edited.why)} The question is still open.\n`);
    return undefined;
  }
  // The model proposed the prefix for its own command.
  const { prefixRule: _, ...rest } = action;
  return { type: 'edit', action: { ...rest, argv: [...action.argv.slice(0, 2), edited.text] } };
}

/** Returns the line about the decision. */
function decisionText(answer: TerminalAnswer, { scopes }: Ask): string {
  switch (answer.type) {
    case 'approve': {
      const given = JSON.stringify(answer.scope);
      return `Allowed. ${scopes.find(({ scope }) => JSON.stringify(scope) === given)?.effect ?? ''}`;
    }
    case 'decline':
      return answer.message === undefined
        ? 'Not allowed.'
        : `Not allowed. For the model: ${visibleLine(answer.message)}`;
    case 'abort':
      return 'Not allowed, and the turn is interrupted.';
    case 'edit':
      return 'Edited. The new command is decided about like any other.';
  }
}
