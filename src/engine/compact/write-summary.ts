import { ModelError } from '../../base/errors.ts';
import { type Item, isCall, messageText } from '../../base/item.ts';
import type { ModelRequest, StreamOptions } from '../../base/model.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { historyForServer } from '../request/history-for-server.ts';
import { modelRequest, recordUsage, sendRequest, withRetries } from '../request/send-request.ts';
import { message, textPart } from '../state/message.ts';
import { recordRepair } from '../state/record-repair.ts';
import type { Compaction, Turn } from '../turn-setup.ts';
import { nextStep, shortenHistory } from './shorten-history.ts';

/**
 * Returns a summary of the history that the model writes. Only the requests are recorded. Throws `ModelError` if the
 * model writes no summary.
 */
export async function writeSummary(turn: Turn, compaction: Compaction): Promise<string> {
  const { model } = turn.setup.request;
  const previous = previousModel(turn, compaction);
  if (previous === undefined) return explained(askForSummary(turn, model));
  try {
    return await askForSummary(turn, previous);
  } catch (error) {
    turn.signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    return explained(askForSummary(turn, model));
  }
}

/**
 * Returns the model of the turn before, if it should write the summary. The history may be too long for a new model,
 * but not for the model that has it in its cache.
 */
function previousModel(
  { setup, previousModel, previousProvider }: Turn,
  { reason, inTurn }: Compaction,
): string | undefined {
  if (reason !== 'limit' || inTurn || previousModel === null || previousModel === setup.request.model) return undefined;
  return previousProvider === setup.providerId ? previousModel : undefined;
}

/** Adds to an error that it concerns the compaction, because the user may not have asked for one. */
async function explained(summary: Promise<string>): Promise<string> {
  try {
    return await summary;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const { code, retryable, retryAfterMs, cutOff, message: said } = error;
    const text = `The thread could not be compacted and was left as it was: ${said}`;
    throw new ModelError(code, text, { retryable, retryAfterMs, cutOff, said, cause: error });
  }
}

/** Form of a request for a summary. It changes after a failure. */
interface Form {
  /** Step of `shortenHistory`, which decides how much of the history is sent. */
  readonly step: number;
  /** Whether to offer tools. Some servers refuse calls in a history without tools. */
  readonly withTools: boolean;
  /** Whether to insist on a text as the answer. */
  readonly insists: boolean;
}

async function askForSummary(turn: Turn, model: string): Promise<string> {
  const prompt = await turn.setup.compaction.prompt();
  const history = historyForServer(turn);
  let form: Form = { step: 0, withTools: false, insists: false };
  for (;;) {
    const part = shortenHistory(history, form.step);
    if (part === undefined) throw new ModelError('context_length_exceeded', TOO_LONG);
    const asked = form.insists ? `${prompt}\n\n${INSISTENCE}` : prompt;
    const input = [...part, message(turn.thread.world, 'user', [textPart(asked)])];
    try {
      const text = await answerTo(turn, summaryRequest(turn, { input, model, withTools: form.withTools }));
      if (text !== '') return text;
      if (form.insists) throw new ModelError('invalid_response', NO_SUMMARY);
      form = { ...form, insists: true };
    } catch (error) {
      form = nextForm(error, form, history);
    }
  }
}

/** Returns the form to try after an error. Throws the error if no other form can help. */
function nextForm(error: unknown, form: Form, history: readonly Item[]): Form {
  if (!(error instanceof ModelError)) throw error;
  if (error.code === 'context_length_exceeded') return { ...form, step: nextStep(history, form.step) };
  if (error.code === 'bad_request' && !form.withTools && history.some(isCall)) return { ...form, withTools: true };
  throw error;
}

const NO_TOOLS: readonly ToolSpec[] = [];

function summaryRequest(
  turn: Turn,
  { input, model, withTools }: { readonly input: readonly Item[]; readonly model: string; readonly withTools: boolean },
): ModelRequest {
  const request = { ...modelRequest(turn, input), model, parallelToolCalls: false };
  return withTools ? { ...request, toolChoice: 'none' } : { ...request, tools: NO_TOOLS };
}

async function answerTo(turn: Turn, request: ModelRequest): Promise<string> {
  return withRetries(turn, (facts) =>
    sendRequest(turn, { ...facts, purpose: 'summary' }, (options) => followSummary(turn, request, options)),
  );
}

/** Returns the text of a response. Calls in it are ignored, because no tool was offered for them. */
async function followSummary(turn: Turn, request: ModelRequest, options: StreamOptions): Promise<string> {
  const texts: string[] = [];
  const written = () => texts.join('\n\n').trim();
  for await (const event of turn.setup.model.stream(request, options)) {
    switch (event.type) {
      case 'item.done':
        if (event.item.type === 'message') texts.push(messageText(event.item));
        break;
      case 'completed':
        await recordUsage(turn, event.usage);
        return written();
      case 'incomplete':
        await recordUsage(turn, event.usage);
        if (written() !== '' && event.reason !== 'content_filter') return `${written()}\n${CUT_OFF}`;
        throw new ModelError('incomplete', `The model's summary was cut off: ${event.reason}.`, {
          cutOff: event.reason,
        });
      case 'repair':
        await recordRepair(turn, event.repair);
        break;
    }
  }
  throw new ModelError('stream_broken', 'The response ended without saying so.', { retryable: true });
}

const CUT_OFF = '[The summary was cut off here.]';
const INSISTENCE = 'Answer with the summary as plain text. No tool can be called now.';
const NO_SUMMARY = 'the model wrote no summary. Try again, or use another model.';
const TOO_LONG =
  'not even its end fits the context window of the model. Start a new thread, or use a model with a larger window.';
