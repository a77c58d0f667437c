import { ModelError } from '../../../../src/base/errors.ts';
import { isRecord } from '../../../../src/base/json-schema.ts';
import type { Usage } from '../../../../src/base/usage.ts';
import type { Frame } from '../../../../src/base/wire.ts';
import type { ClientError } from '../../../../src/wire/edge/client-error.ts';
import type { EdgeWire, FrameKind, PassOptions } from '../../../../src/wire/edge/edge-wire.ts';
import { readFailure } from '../../../../src/wire/edge/read-failure.ts';
import { redactFrame } from '../../../../src/wire/edge/redact-frame.ts';
import type { Translator } from '../../../../src/wire/edge/translator.ts';
import { withField } from '../../../../src/wire/fields/edit-fields.ts';
import type { Fields } from '../../../../src/wire/fields/request-fields.ts';
import { frameValue } from '../../../../src/wire/framing/frames.ts';
import { hasOnlyFunctions } from '../../../../src/wire/lowering/only-functions.ts';
import { readUsage } from './client.ts';

export const edge: EdgeWire = {
  routes: [
    { type: 'exchange', method: 'POST', path: '/v1/scratch' },
    {
      type: 'own',
      method: 'GET',
      path: '/scratch/models',
      answer: async (_, gateway) => ({ names: (await gateway.models()).map(({ id }) => id) }),
    },
    {
      type: 'own',
      method: 'POST',
      path: '/v1/scratch/:what/count',
      async answer({ params, body }) {
        const counted = (await body())[params.what ?? ''];
        return { count: Array.isArray(counted) ? counted.length : 0 };
      },
    },
  ],
  readRequest: ({ model, stream }) => ({ model, stream: stream === true, includeUsage: true }),
  hasRareTools: ({ tools }) => !hasOnlyFunctions(tools),
  editRequest: (body, { model }) => withField(body, 'model', model),
  withoutSealed: (body) => body,
  passThrough,
  encoding: (_, common) => common,
  readUsage,
  inspect,
  firstCallOnly() {
    let called = false;
    return (value) => {
      if (Array.isArray(value.calls)) return { ...value, calls: value.calls.slice(0, 1) };
      if (value.call === undefined) return value;
      const isFirst = !called;
      called = true;
      return isFirst ? value : undefined;
    };
  },
  responseId: (uuid) => `scratch-${uuid}`,
  errorBody,
  reportedInStream: () => false,
};

function errorBody({ code, message }: ClientError): object {
  return { error: { code, message } };
}

function inspect(frame: Frame): FrameKind {
  const value = frameValue(frame);
  return isRecord(value) ? kindOf(value) : 'other';
}

function kindOf({ error, over, say, call }: Fields): FrameKind {
  if (isRecord(error)) return 'failure';
  if (over === true) return 'end';
  return say === undefined && call === undefined ? 'other' : 'speaks';
}

interface OpenResponse extends Translator {
  spoke: boolean;
  over: boolean;
  failure: ModelError | undefined;
  usage: Usage | null;
}

function passThrough({ redact, failures }: PassOptions): Translator {
  const response: OpenResponse = {
    spoke: false,
    over: false,
    failure: undefined,
    usage: null,
    finished: undefined,
    push(frame, out) {
      const value = frameValue(frame);
      if (response.over || !isRecord(value)) return;
      const kind = kindOf(value);
      response.spoke ||= kind === 'speaks' || kind === 'end';
      response.over = kind === 'end' || kind === 'failure';
      if (kind === 'end') response.usage = readUsage(value);
      if (kind === 'failure') {
        const { code, message } = readFailure(value.error);
        response.failure = failures.toModelError({ code, message: redact(message) });
      }
      out.push(kind === 'failure' ? redactFrame(frame, redact) : frame);
    },
    settle() {},
    end(out, broken) {
      if (response.over) return;
      response.over = true;
      response.failure =
        broken ?? new ModelError('stream_broken', 'The server ended the connection without an answer.');
      out.push({ data: JSON.stringify(errorBody(failures.toClientError(response.failure))) });
    },
  };
  return response;
}
