import { createLoop, isText } from './create-loop.ts';
import { createInputParser } from './input/create-input-parser.ts';
import type { TuiModel } from './model.ts';
import type { ScreenTerminal } from './open-terminal.ts';
import { runSession, type SessionStart } from './run-session.ts';
import { titleSequence } from './screen/sequences.ts';
import { view } from './view/view.ts';

/** Runs the terminal on a screen until the user leaves. Returns the exit code. */
export function startSession(terminal: ScreenTerminal, options: SessionStart): Promise<number> {
  return runSession(options, (perform, firstRequest) => {
    const { screen } = terminal;
    const setTitle = createTitle(screen.send);
    let isHeld = true;
    const loop = createLoop({
      size: terminal.size(),
      perform,
      changed(message) {
        firstRequest.follow(message);
        const isInput = message.type === 'input';
        if (!isInput && isHeld) return;
        if (!isText(message)) setTitle(loop.model());
        screen.invalidate(isInput ? 'now' : 'soon');
      },
    });
    terminal.onResize((size) => loop.send({ type: 'resized', size }));
    terminal.handOver({
      parser: createInputParser(),
      frame(size) {
        const { frame, entries } = view({ ...loop.model(), size });
        // The screen asks only when it can write, so the entries are on their way.
        if (entries > 0) loop.drawn(entries);
        return frame;
      },
      take: (event, at) => loop.send({ type: 'input', event, at }),
    });
    // A user who has seen an answer may type: keys come first.
    void firstRequest.sent.then(terminal.takeKeys).then(() => {
      isHeld = false;
      setTitle(loop.model());
      screen.invalidate('now');
    });
    return {
      loop,
      terminal: { send: screen.send, redraw: screen.redraw, lend: terminal.lend, suspend: terminal.suspend },
      async close() {
        screen.send(titleSequence(''));
        await terminal.close();
      },
    };
  });
}

/** Returns a function that keeps the title of the window: the project, and whether something waits for the user. */
function createTitle(send: (sequence: string) => void) {
  let last = '';
  return ({ place, turn, questions }: TuiModel): void => {
    const state = questions.length > 0 ? 'asks: ' : turn === null ? '' : 'works: ';
    const title = place.shown === '' ? '' : `${state}${place.shown.split('/').at(-1)}`;
    if (title === last) return;
    last = title;
    send(titleSequence(title));
  };
}
