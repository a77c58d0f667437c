import type { CommandAction } from '../../base/action.ts';
import type { Collected, Terminal } from '../../base/environment.ts';
import type { Judge } from '../../policy/judge.ts';

export interface FailureExplanation {
  readonly judge: Judge;
  /** What the first output begins with. */
  readonly note: string;
  /** Called when the sandbox probably made the command fail. */
  onDenied(hint: string): void;
}

/** A terminal whose last output says so when the sandbox was in the way. */
export function explainedTerminal(terminal: Terminal, { judge, note, onDenied }: FailureExplanation): Terminal {
  let start = note;
  return {
    id: terminal.id,
    write: (chars) => terminal.write(chars),
    resize: (size) => terminal.resize(size),
    kill: () => terminal.kill(),
    async collect(yieldMs, signal) {
      const collected = await terminal.collect(yieldMs, signal);
      const hint = hintFor(terminal.id, collected, judge);
      if (hint !== undefined) onDenied(hint);
      const text = `${start}${collected.text}${hint === undefined ? '' : newLineAfter(collected.text) + hint}`;
      start = '';
      return { ...collected, text };
    },
  };
}

function hintFor(terminalId: number, { exitCode, text }: Collected, judge: Judge): string | undefined {
  if (exitCode === null || judge.standing(terminalId) !== 'inside') return undefined;
  return judge.explainDenial(exitCode, text);
}

const newLineAfter = (text: string) => (text === '' || text.endsWith('\n') ? '' : '\n');

/** What the model is told when the user changed the command that it had asked for. */
export function editNote({ argv, cwd }: CommandAction): string {
  return `The user changed this command before it ran. What ran in ${cwd}: ${JSON.stringify(argv)}\n`;
}
