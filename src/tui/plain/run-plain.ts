import { createInterface } from 'node:readline';
import { renderLine } from '../../text/render-line.ts';
import type { Line } from '../../text/span.ts';
import { createLoop, type Loop } from '../create-loop.ts';
import { NO_MODIFIERS, namedKey } from '../input/keys.ts';
import type { TuiMessage } from '../message.ts';
import type { EffectTerminal } from '../perform.ts';
import { runSession, type SessionStart } from '../run-session.ts';
import { type Entry, entryRows } from '../view/entry.ts';
import { viewOptions } from '../view/model-options.ts';
import { createAnnouncer } from './announce.ts';
import { lineMessages } from './line-messages.ts';

/** The terminal as plain mode uses it: lines come in, whole lines go out. */
export interface LineTerminal {
  readonly input: NodeJS.ReadStream;
  write(text: string): void;
  columns(): number;
}

/**
 * Runs the terminal so that a screen reader can follow: only whole finished lines are appended, the cursor never moves up,
 * and lists are numbered and answered by typing.
 */
export function runPlain(terminal: LineTerminal, options: SessionStart): Promise<number> {
  return runSession(options, (perform) => {
    const output = createLineOutput(terminal);
    const announce = createAnnouncer(output.print);
    /** Lines of the user that the terminal has echoed and that are not shown again. */
    const echoed: string[] = [];
    const loop = createLoop({
      size: { columns: terminal.columns(), rows: 50 },
      perform,
      changed: () => show(),
    });
    let isTaking = false;
    function show(): void {
      showEntries(loop, output.print, echoed);
      showPage(loop, output.print);
      const isAwaited = announce(loop.model());
      if (isAwaited && !isTaking) output.prompt();
    }
    const lines = createInterface({ input: terminal.input, terminal: false });
    lines.on('line', (line) => {
      output.lineEnded();
      echoed.push(line);
      // A line may be several messages, and the prompt comes after all of them.
      isTaking = true;
      for (const message of lineMessages(loop.model(), line, Date.now())) loop.send(message);
      isTaking = false;
      show();
    });
    const leave = () => loop.send({ type: 'leave' });
    const interrupt = () => loop.send(STOP());
    lines.on('close', leave);
    process.on('SIGINT', interrupt);
    const close = async () => {
      process.off('SIGINT', interrupt);
      lines.off('close', leave);
      lines.close();
    };
    return { loop, terminal: plainTerminal(lines), close };
  });
}

/** Returns the message of Ctrl-C, which comes as a signal while the terminal reads whole lines. */
const STOP = (): TuiMessage => ({
  type: 'input',
  event: { type: 'key', key: namedKey('c', { ...NO_MODIFIERS, ctrl: true }) },
  at: Date.now(),
});

/** Writes whole lines, and the prompt while input is awaited. A line after the prompt begins on a row of its own. */
function createLineOutput(terminal: Pick<LineTerminal, 'write'>) {
  let hasPrompt = false;
  return {
    print(lines: readonly Line[]): void {
      if (lines.length === 0) return;
      terminal.write(`${hasPrompt ? '\n' : ''}${lines.map((line) => `${renderLine(line, 'none')}\n`).join('')}`);
      hasPrompt = false;
    },
    prompt(): void {
      if (!hasPrompt) terminal.write('> ');
      hasPrompt = true;
    },
    lineEnded(): void {
      hasPrompt = false;
    },
  };
}

function showEntries(loop: Loop, print: (lines: readonly Line[]) => void, echoed: string[]): void {
  const model = loop.model();
  const { outbox, lastEntry } = model;
  if (outbox.length === 0) return;
  const options = { ...viewOptions(model), wrap: 'terminal', attributes: false, hyperlinks: false } as const;
  const shown = outbox.filter((entry) => !isEchoed(entry, echoed));
  loop.drawn(outbox.length);
  print(entryRows(lastEntry, shown, options));
}

/** Reports whether the terminal itself has shown an entry, and forgets the line. */
function isEchoed(entry: Entry, echoed: string[]): boolean {
  const at = entry.kind === 'user' ? echoed.indexOf(entry.text) : -1;
  if (at >= 0) echoed.splice(0, at + 1);
  return at >= 0;
}

/** Prints the whole document of a pager and closes the pager, since keys cannot move it. */
function showPage(loop: Loop, print: (lines: readonly Line[]) => void): void {
  const { pager, size } = loop.model();
  if (pager === null) return;
  print(pager.pager.blocks.flatMap((block) => block.render(size.columns)));
  loop.send({ type: 'input', event: { type: 'key', key: namedKey('escape', NO_MODIFIERS) }, at: Date.now() });
}

/** Returns the terminal for effects. Nothing is drawn, so another program may have the terminal as it is. */
function plainTerminal(lines: { pause(): void; resume(): void }): EffectTerminal {
  return {
    send: () => undefined,
    redraw: () => undefined,
    async lend(work) {
      lines.pause();
      return work().finally(() => lines.resume());
    },
    suspend: async () => undefined,
  };
}
