import { ModelError, messageOf } from '../../base/errors.ts';
import type { ModelRequest } from '../../base/model.ts';
import { type RequestText, wholeText } from '../../base/request-text.ts';
import type { ClientWire, Compat, Frame } from '../../base/wire.ts';
import type { restoreNames } from '../../wire/adapt/adapt-frames.ts';
import type { adaptRequest } from '../../wire/adapt/adapt-request.ts';
import type { AdaptRules } from '../../wire/adapt/adapt-rules.ts';
import type { learn } from '../../wire/adapt/learn.ts';
import { needsAdapting } from '../../wire/adapt/needs-adapting.ts';
import type { Lesson } from '../../wire/adapt/refusals/rule.ts';
import type { TargetMemory } from '../server-memory.ts';
import type { BodyEncoder } from './body-encoder.ts';

/** The functions that adapt requests of a wire to a server and learn from its refusals. */
export interface Adapt {
  /** Those of the wire; undefined where it has none. */
  readonly rules: AdaptRules | undefined;
  readonly adaptRequest: typeof adaptRequest;
  readonly restoreNames: typeof restoreNames;
  readonly learn: typeof learn;
}

/** The form in which a request is sent, which changes with what the server refuses. */
export interface RequestForm {
  readonly body: readonly Uint8Array[];
  /** Gives a frame of the answer the names that tools have in the request; undefined where all have kept theirs. */
  readonly restore: ((frame: Frame) => Frame) | undefined;
  /** The settings under which it is sent. */
  readonly compat: Compat;
  /** Lessons of earlier requests that it was made by. */
  readonly earlier: readonly Lesson[];
  /** Why the request was changed since the first refusal. */
  readonly lessons: readonly Lesson[];
  onRefusal(status: number, refusal: string): Promise<readonly Uint8Array[] | undefined>;
  onAnswer(): void;
}

export interface RequestFormOptions {
  readonly wire: ClientWire;
  readonly encodeBody: BodyEncoder;
  /** A lesson that proved right is added to it. */
  readonly known: Pick<TargetMemory, 'compat' | 'lessons' | 'learn'>;
  /** Loaded only for servers that need it. */
  readonly adapt: (() => Promise<Adapt>) | undefined;
}

/** Throws `ModelError` for a request that the wire cannot carry. */
export async function createRequestForm(
  request: ModelRequest,
  { wire, encodeBody, known, adapt }: RequestFormOptions,
): Promise<RequestForm> {
  const earlier = [...known.lessons];
  const lessons: Lesson[] = [];
  let kept = 0;
  let { compat } = known;
  const shape = async (): Promise<Shaped> => {
    const text = encode(request, wire, compat);
    const adapting = needsAdapting(compat) ? await adapt?.() : undefined;
    if (adapting?.rules === undefined) return { body: encodeBody(text), restore: undefined };
    const { rules } = adapting;
    const plain = wholeText(text);
    const { body: adapted, changes, restoreName } = adapting.adaptRequest(rules, JSON.parse(plain), compat);
    const isRenamed = changes.some(({ id }) => id === 'G12');
    return {
      body: changes.length === 0 ? encodeBody(text) : [Buffer.from(JSON.stringify(adapted))],
      restore: isRenamed ? adapting.restoreNames(rules, restoreName) : undefined,
    };
  };
  let shaped = await shape();
  return {
    get body() {
      return shaped.body;
    },
    get restore() {
      return shaped.restore;
    },
    get compat() {
      return compat;
    },
    earlier,
    lessons,
    async onRefusal(status, refusal) {
      const sent = Buffer.concat(shaped.body);
      const learning = await adapt?.();
      const parsed = JSON.parse(sent.toString());
      const lesson = learning?.learn(learning.rules, { status, body: refusal }, parsed, compat);
      if (lesson === undefined) return undefined;
      compat = { ...compat, ...lesson.patch };
      const next = await shape();
      if (Buffer.concat(next.body).equals(sent)) return undefined;
      shaped = next;
      lessons.push(lesson);
      return next.body;
    },
    /** A guess about a refusal is kept once it has proved right. */
    onAnswer() {
      for (const lesson of lessons.slice(kept)) known.learn(lesson);
      kept = lessons.length;
    },
  };
}

/** Bytes, and no text of them: it would live as long as the server thinks, and there is a longer one each turn. */
interface Shaped {
  readonly body: readonly Uint8Array[];
  readonly restore: RequestForm['restore'];
}

/** A request that a wire cannot carry is the request's fault, told by the wire. */
function encode(request: ModelRequest, wire: ClientWire, compat: Compat): RequestText {
  try {
    return wire.encodeRequest(request, compat);
  } catch (error) {
    throw new ModelError('bad_request', messageOf(error), { cause: error });
  }
}
