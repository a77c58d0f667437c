import type { Event } from '../base/event.ts';
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

/** A part of an answer. */
export interface TextMessage extends Extract<TuiMessage, { type: 'event' }> {
  readonly event: Extract<Event, { type: 'text.delta' }>;
}

/** Reports whether a message is a part of an answer, which changes nothing but the open item. */
export const isText = (message: TuiMessage): message is TextMessage =>
  message.type === 'event' && message.event.type === 'text.delta';

const TICK_MS = 1000;

/**
 * Creates the loop of a terminal: messages change the model, and its effects are performed. Nothing runs while nothing
 * happens: the clock ticks only while something is counted. Parts of an answer that come between two looks at the model
 * are one message to it, so that their number costs little.
 */
export function createLoop({ size, perform, changed }: LoopOptions): Loop {
  let model = initialModel(size, Date.now());
  let clock: NodeJS.Timeout | undefined;
  /** Parts of an answer that the model does not have yet. */
  let waiting: { readonly first: TextMessage; text: string } | undefined;

  function send(message: TuiMessage): void {
    if (!isText(message)) {
      flush();
      take(message);
    } else if (waiting?.first.event.itemId === message.event.itemId) {
      waiting.text += message.event.delta;
    } else {
      flush();
      waiting = { first: message, text: message.event.delta };
    }
    changed(message);
  }

  function flush(): void {
    if (waiting === undefined) return;
    const { first, text } = waiting;
    waiting = undefined;
    take({ ...first, event: { ...first.event, delta: text } });
  }

  function current(): TuiModel {
    flush();
    return model;
  }

  function take(message: TuiMessage): void {
    const next = update(model, message);
    model = next.model;
    for (const effect of next.effects) perform(effect);
    setClock();
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
    model: current,
    send,
    drawn(entries) {
      flush();
      model = update(model, { type: 'drawn', entries }).model;
    },
    stop,
  };
}
