import { randomUUID } from 'node:crypto';
import { ModelError, UserError } from '../../base/errors.ts';
import type { Model, ModelRequest, StreamedEvent, StreamOptions } from '../../base/model.ts';
import { failureError } from '../../model/errors.ts';
import { backoffMs } from '../../model/retry.ts';
import { fieldsOf, wordOf } from '../../wire/fields/lenient-fields.ts';
import { undeclaredParts } from '../../wire/lowering/declared-tools.ts';
import { decodeParts } from './decode-parts.ts';
import { encodeCall } from './encode-call.ts';
import type { LanguageModel, LanguageModelReader, ProviderFields } from './language-model.ts';
import { modelErrorOf } from './model-error.ts';

/** Options of `modelFromLanguageModel`. */
export interface LanguageModelOptions {
  /**
   * Options for the provider, by its name, or a function that returns them for a request. Settings such as the effort of
   * the reasoning are options of the provider, not of the interface.
   */
  readonly providerOptions?: ProviderFields | ((request: ModelRequest) => ProviderFields);
  /** Headers of each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Number of times that a failed request or a broken response is requested again. Default: 5. */
  readonly maxRetries?: number;
}

const MAX_RETRIES = 5;

/**
 * Returns a model for `createAgent` from a model of the Vercel AI SDK. It calls `doStream` alone, and needs no package
 * but that of the provider.
 *
 * @example
 * const agent = createAgent({ model: modelFromLanguageModel(anthropic('claude-sonnet-4-5')) });
 */
export function modelFromLanguageModel(model: LanguageModel, options: LanguageModelOptions = {}): Model {
  if (model.specificationVersion !== 'v2' && model.specificationVersion !== 'v3') {
    throw new UserError(
      'unsupported',
      `The language model has version ${String(fieldsOf(model).specificationVersion)} of the interface; v2 and v3 are supported.`,
    );
  }
  const warned = new Set<string>();
  return {
    maxStreamRetries: options.maxRetries ?? MAX_RETRIES,
    retryDelayMs: (attempt, error) => error.retryAfterMs ?? backoffMs(attempt, Math.random),
    stream(request, { signal, warn }) {
      return streamEvents(request, { model, options, signal, warn: once(warned, warn) });
    },
  };
}

interface Context {
  readonly model: LanguageModel;
  readonly options: LanguageModelOptions;
  readonly signal: AbortSignal;
  warn(message: string): void;
}

function once(warned: Set<string>, warn: StreamOptions['warn']): (message: string) => void {
  return (message) => {
    if (!warned.has(message)) warn?.(message);
    warned.add(message);
  };
}

async function* streamEvents(request: ModelRequest, context: Context): AsyncGenerator<StreamedEvent, void, undefined> {
  const { signal, warn } = context;
  warnAboutUnsent(request, context);
  const decode = decodeParts(request, () => `lm-${randomUUID()}`);
  let reader: LanguageModelReader | undefined;
  try {
    reader = await openReader(request, context);
    for (;;) {
      const { done, value } = await untilAborted(() => reader?.read(), signal);
      if (done || value === undefined) throw failureError({ code: 'stream_closed', message: 'it had no end' });
      if (value.type === 'error') throw modelErrorOf(fieldsOf(value).error);
      if (value.type === 'stream-start') warnAboutUnsupported(fieldsOf(value).warnings, warn);
      for (const event of decode(value)) {
        if (event.type === 'failed') throw failureError(event);
        yield event;
        if (event.type === 'completed' || event.type === 'incomplete') return;
      }
    }
  } catch (error) {
    throw signal.aborted ? new ModelError('aborted', 'The request was interrupted.') : modelErrorOf(error);
  } finally {
    // The end of the stream is of no interest any longer, and it may come late or never.
    reader?.cancel().then(undefined, () => undefined);
  }
}

async function openReader(request: ModelRequest, { model, options, signal }: Context): Promise<LanguageModelReader> {
  const { providerOptions, headers } = options;
  const call = {
    ...encodeCall(request, model),
    abortSignal: signal,
    ...(headers && { headers: { ...headers } }),
    ...(providerOptions && {
      providerOptions: typeof providerOptions === 'function' ? providerOptions(request) : providerOptions,
    }),
  };
  const { stream } = await untilAborted(() => model.doStream(call), signal);
  return stream.getReader();
}

/** Settles with some work, or rejects when the signal aborts. */
async function untilAborted<T>(work: () => PromiseLike<T> | undefined, signal: AbortSignal): Promise<Awaited<T>> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return (await Promise.race([work(), aborted])) as Awaited<T>;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Warns about parts of a request that the interface has no place for. */
function warnAboutUnsent({ reasoning, text, tools }: ModelRequest, { options, warn }: Context): void {
  for (const tool of tools.flatMap(undeclaredParts)) warn(`The tool ${tool} is not offered: it is not a function.`);
  if (typeof options.providerOptions === 'function') return;
  const unsent = [
    ...(reasoning.effort === undefined ? [] : ['effort of the reasoning']),
    ...(text?.verbosity === undefined ? [] : ['verbosity']),
  ];
  for (const what of unsent) {
    warn(`The ${what} is not sent: it is an option of the provider. Return it from a function, as providerOptions.`);
  }
}

/** Passes on the warnings of a provider about settings that it does not support. */
function warnAboutUnsupported(warnings: unknown, warn: (message: string) => void): void {
  for (const warning of Array.isArray(warnings) ? warnings : []) {
    const { message, feature, setting, tool, details } = fieldsOf(warning);
    const what = wordOf(feature) ?? wordOf(setting) ?? wordOf(fieldsOf(tool).name) ?? 'a setting';
    const why = wordOf(details);
    warn(wordOf(message) ?? `The provider does not support ${what}${why === undefined ? '.' : `: ${why}`}`);
  }
}
