import type { ServerResponse } from 'node:http';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import type { Delivery } from './plan-delivery.ts';
import type { ReplyStep } from './reply-wire.ts';

/** A request that is being answered. */
export interface ScriptedExchange {
  readonly response: ServerResponse;
  /** Aborts when the connection or the answer has ended. */
  readonly gone: AbortSignal;
  /** Called before the server itself breaks the connection. */
  onBreak(): void;
}

/** Sends a delivery. Returns early when the client goes away. */
export async function deliver(delivery: Delivery, exchange: ScriptedExchange): Promise<void> {
  const { response, gone } = exchange;
  if (gone.aborted) return;
  if (delivery.head) {
    response.writeHead(delivery.head.status, delivery.head.headers);
    response.flushHeaders();
  }
  for (const step of delivery.steps) {
    await perform(step, exchange);
    if (gone.aborted) return;
  }
  // A reset discards bytes that have not left the process yet.
  await nextRound();
  if (!gone.aborted) end(delivery.ending, exchange);
}

async function perform(step: ReplyStep, { response, gone }: ScriptedExchange): Promise<void> {
  if (step.kind === 'pause') return sleep(step.ms, undefined, { signal: gone }).catch(() => {});
  if (step.kind === 'gate') return untilGone(gone, step.until.then(nothing, nothing));
  const { promise, resolve } = deferred();
  response.write(step.bytes, resolve);
  await untilGone(gone, promise);
  // A client in this process gets the time to read the piece on its own.
  await nextRound();
}

function end(ending: Delivery['ending'], { response, onBreak }: ScriptedExchange): void {
  switch (ending) {
    case 'finish':
      response.end();
      return;
    case 'close':
      onBreak();
      response.socket?.destroySoon();
      return;
    case 'reset':
      onBreak();
      response.socket?.resetAndDestroy();
      return;
    case 'hang':
  }
}

/** Waits for a promise, but not longer than the connection lives. */
async function untilGone(gone: AbortSignal, promise: Promise<void>): Promise<void> {
  if (gone.aborted) return;
  const { promise: end, resolve } = deferred();
  gone.addEventListener('abort', resolve);
  await Promise.race([promise, end]);
  gone.removeEventListener('abort', resolve);
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = nothing;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function nothing(): void {}
