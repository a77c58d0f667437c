import type { Effect } from './effect.ts';
import { initialModel } from './initial-model.ts';
import type { TuiMessage } from './message.ts';
import type { TuiModel } from './model.ts';
import type { Size } from './screen/frame.ts';
import { update } from './update/update.ts';

/** The model as it is now, and the way to change it. */
export interface Loop {
  model(): TuiModel;
  send(message: TuiMessage): void;
  /** Notes that the first entries of the outbox were shown. Nothing follows from it. */
  drawn(entries: number): void;
  /** Stops the clock. */
  stop(): void;
}

export interface LoopOptions {
  readonly size: Size;
  /** Does what the model asks for. */
  perform(effect: Effect): void;
  /** Called after each message, to draw. */
  changed(message: TuiMessage): void;
}

const TICK_MS = 1000;

/**
 * Creates the loop of a terminal: messages change the model, and its effects are performed. Nothing runs while nothing
 * happens: the clock ticks only while something is counted.
 */
export function createLoop({ size, perform, changed }: LoopOptions): Loop {
  let model = initialModel(size, Date.now());
  let clock: NodeJS.Timeout | undefined;

  function send(message: TuiMessage): void {
    const next = update(model, message);
    model = next.model;
    for (const effect of next.effects) perform(effect);
    setClock();
    changed(message);
  }

  function setClock(): void {
    const counts = model.stage !== 'leaving' && (model.turn !== null || model.items.length > 0);
    if (counts && clock === undefined) clock = setInterval(() => send({ type: 'tick', at: Date.now() }), TICK_MS);
    if (!counts) stop();
  }

  function stop(): void {
    clearInterval(clock);
    clock = undefined;
  }

  return {
    model: () => model,
    send,
    drawn(entries) {
      model = update(model, { type: 'drawn', entries }).model;
    },
    stop,
  };
}
