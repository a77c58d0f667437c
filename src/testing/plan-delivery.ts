import type { Fault, ScriptedAnswer } from './fault.ts';
import type { EncodeContext, FrameStep, ReplyStep, ReplyWire } from './reply-wire.ts';

/** Actions of the server on the connection for one answer. */
export interface Delivery {
  /** Null when no headers are sent. */
  readonly head: Head | null;
  readonly steps: readonly ReplyStep[];
  /** `finish` ends the body properly, `close` only closes the connection, `reset` resets it, `hang` leaves it open. */
  readonly ending: 'finish' | 'close' | 'reset' | 'hang';
}

export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

function streamHead({ contentType }: ReplyWire): Head {
  return { status: 200, headers: { 'content-type': contentType, 'cache-control': 'no-store' } };
}

/** Plans the actions on the connection for an answer. */
export function planDelivery(answer: ScriptedAnswer, wire: ReplyWire, context: EncodeContext): Delivery {
  if (answer.kind === 'reply') {
    return { head: streamHead(wire), steps: wire.encode(answer, context), ending: 'finish' };
  }
  if (answer.kind === 'status') return statusDelivery(answer);
  if (answer.kind === 'hang') return { head: answer.headers ? streamHead(wire) : null, steps: [], ending: 'hang' };

  const plan = planDelivery(answer.of, wire, context);
  switch (answer.kind) {
    case 'reset':
      return {
        head: answer.headers ? plan.head : null,
        steps: takeBytes(plan.steps, answer.afterBytes),
        ending: 'reset',
      };
    case 'cut':
      return { ...plan, steps: takeBytes(plan.steps, answer.atByte), ending: 'close' };
    case 'truncated':
      return { ...plan, steps: takeBytes(plan.steps, answer.atByte), ending: 'finish' };
    case 'split':
      return { ...plan, steps: inPiecesOf(plan.steps, answer.size) };
    case 'bad_json':
      return { ...plan, steps: withBrokenFrame(plan.steps, wire) };
    case 'slow':
      return { ...plan, steps: plan.steps.flatMap((step) => slowed(step, answer.ms)) };
  }
}

function statusDelivery({ code, body, headers }: Fault & { kind: 'status' }): Delivery {
  const isText = typeof body === 'string';
  const bytes = Buffer.from(isText ? body : JSON.stringify(body));
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  return {
    head: { status: code, headers: { 'content-type': type, ...headers } },
    steps: [{ kind: 'frame', bytes }],
    ending: 'finish',
  };
}

function takeBytes(steps: readonly ReplyStep[], count: number): readonly ReplyStep[] {
  const taken: ReplyStep[] = [];
  let left = count;
  for (const step of steps) {
    if (left <= 0) break;
    taken.push(step.kind === 'frame' ? frame(step.bytes.subarray(0, left)) : step);
    if (step.kind === 'frame') left -= step.bytes.length;
  }
  return taken;
}

function inPiecesOf(steps: readonly ReplyStep[], size: number): readonly ReplyStep[] {
  const result: ReplyStep[] = [];
  let pending = Buffer.alloc(0);
  const cutPending = (least: number) => {
    while (pending.length >= least) {
      result.push(frame(pending.subarray(0, size)));
      pending = pending.subarray(size);
    }
  };
  for (const step of steps) {
    if (step.kind === 'frame') {
      pending = Buffer.concat([pending, step.bytes]);
      cutPending(size);
    } else {
      // Bytes before a wait must be sent before the wait begins.
      cutPending(1);
      result.push(step);
    }
  }
  cutPending(1);
  return result;
}

function withBrokenFrame(steps: readonly ReplyStep[], { brokenFrame }: ReplyWire): readonly ReplyStep[] {
  const first = steps.findIndex((step) => step.kind === 'frame');
  return steps.toSpliced(first + 1, 0, brokenFrame);
}

function slowed(step: ReplyStep, ms: number): readonly ReplyStep[] {
  return step.kind === 'frame' ? [{ kind: 'pause', ms }, step] : [step];
}

function frame(bytes: Buffer): FrameStep {
  return { kind: 'frame', bytes };
}
