import { mayTeach } from '../../adapt/needs-adapting.ts';
import type { Lesson } from '../../adapt/refusals/rule.ts';
import type { Compat } from '../../base/wire.ts';
import { bodyPieces, type SendOptions } from '../http.ts';
import type { TargetMemory } from '../server-memory.ts';
import type { EncodedRequest, FindAdapt } from './encoded-request.ts';

/** Encodes one request, again each time that the settings for its server change. */
export interface RequestEncoder {
  encode(compat: Compat): Promise<EncodedRequest> | EncodedRequest;
  /** Leaves out, from now on, reasoning that only another server can open. Returns the number of items. */
  dropSealed(): number;
}

/** The form in which a request is sent. It changes when the server refuses the request. */
export interface RequestForm {
  readonly encoded: EncodedRequest;
  /** The settings under which the request is encoded. */
  readonly compat: Compat;
  /** The last answer that refused the request. */
  readonly refusal: RequestRefusal | undefined;
  /** Returns the request to send instead, if there is a better one. */
  onRefusal(status: number, body: string): Promise<SendOptions['body'] | undefined>;
  /**
   * Called when the server has accepted the request. The lessons behind its changes have proved right then, and are
   * kept.
   */
  onAnswer(): void;
}

/** An answer that refused a request, with secrets removed. */
export interface RequestRefusal {
  readonly status: number;
  readonly body: string;
}

/** A change of a request after a refusal. */
export type RequestChange =
  | { readonly type: 'learned'; readonly lesson: Lesson }
  /** Reasoning that the server could not open was left out (E9). */
  | { readonly type: 'unsealed'; readonly count: number };

export interface RequestFormOptions {
  readonly encoder: RequestEncoder;
  readonly known: Pick<TargetMemory, 'compat' | 'learn'>;
  readonly adapt: FindAdapt;
  readonly redact: (text: string) => string;
  readonly onChange: (change: RequestChange) => void;
}

/** Returns the form of a request that is first sent as `encoded`. */
export function createRequestForm(encoded: EncodedRequest, options: RequestFormOptions): RequestForm {
  const { encoder, known, adapt, redact, onChange } = options;
  const unproven: Lesson[] = [];

  const change = async (next: Compat, what: RequestChange): Promise<SendOptions['body'] | undefined> => {
    const better = await encoder.encode(next);
    form.compat = next;
    if (isSame(better.body, form.encoded.body)) return undefined;
    form.encoded = better;
    if (what.type === 'learned') unproven.push(what.lesson);
    onChange(what);
    return better.body;
  };

  const form: ChangingForm = {
    encoded,
    compat: known.compat,
    refusal: undefined,
    async onRefusal(status, body) {
      const { compat } = form;
      form.refusal = { status, body: redact(body) };
      const count = UNREADABLE.test(body) ? encoder.dropSealed() : 0;
      if (count > 0) return change(compat, { type: 'unsealed', count });
      const adapting = mayTeach(status) ? await adapt() : undefined;
      const found = adapting?.learn(adapting.wire.edge.adapt, { status, body }, form.encoded.sent(), compat);
      if (found === undefined) return undefined;
      // The reason repeats words of the server.
      const lesson = { ...found, reason: redact(found.reason) };
      return change({ ...compat, ...lesson.patch }, { type: 'learned', lesson });
    },
    onAnswer() {
      for (const lesson of unproven.splice(0)) known.learn(lesson);
    },
  };
  return form;
}

interface ChangingForm extends RequestForm {
  encoded: EncodedRequest;
  compat: Compat;
  refusal: RequestRefusal | undefined;
}

/** The code or the words with which servers report reasoning that they cannot open, or did not sign. */
const UNREADABLE =
  /invalid_encrypted_content|invalid [`'\\"]*signature[`'\\"]* in [`'\\"]*thinking|thinking\.signature: field required|redacted_thinking[`'\\"]* blocks .{0,60}cannot be modified/i;

function isSame(a: SendOptions['body'], b: SendOptions['body']): boolean {
  return Buffer.concat(bodyPieces(a)).equals(Buffer.concat(bodyPieces(b)));
}
