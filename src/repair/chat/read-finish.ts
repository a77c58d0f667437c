import { isRecord } from '../../base/json-schema.ts';
import type { RepairId } from '../catalog.ts';
import type { FinishSignal } from '../finish.ts';

/** Meaning of a `finish_reason`. */
export interface ReadFinish {
  readonly signal: Exclude<FinishSignal, 'none'>;
  /** Word of this wire for the signal. */
  readonly word: string;
  /** Word as it came. */
  readonly said: string;
  /** Fault of the word. */
  readonly repair?: RepairId;
}

/** Reads a `finish_reason`. Undefined if it is empty and the response goes on. */
export function readFinish(reason: unknown): ReadFinish | undefined {
  const said = wordIn(reason);
  if (isNothing(said)) return undefined;
  const known = OWN[said];
  if (known !== undefined) return { signal: known, word: said, said, ...(said !== reason && { repair: 'A7' }) };
  const bare = said.trim().toLowerCase().replace(PREFIX, '');
  if (REFUSED.test(bare)) return { signal: 'refused', word: said, said };
  const found = FOREIGN.find(({ words }) => words.has(bare));
  if (found?.signal === 'error') return { signal: 'error', word: 'error', said, repair: 'F10' };
  return { signal: found?.signal ?? 'stop', word: found?.word ?? 'stop', said, repair: 'A7' };
}

/** Returns the repair of a reason that is present and empty, if it needs one. */
export function emptyFinish(reason: unknown): RepairId | undefined {
  if (typeof reason !== 'string' || !isNothing(reason)) return undefined;
  return reason.trim() === '' ? 'A2' : 'A4';
}

function isNothing(word: string): boolean {
  const bare = word.trim().toLowerCase();
  return bare === '' || bare === 'null' || bare === 'none';
}

/** Returns the word of a reason. Some servers send an object around the word. */
function wordIn(reason: unknown): string {
  if (typeof reason === 'string') return reason;
  return isRecord(reason) && typeof reason.type === 'string' ? reason.type : '';
}

const OWN: Readonly<Record<string, ReadFinish['signal']>> = Object.assign(Object.create(null), {
  stop: 'stop',
  tool_calls: 'calls',
  length: 'cut',
  content_filter: 'cut',
  error: 'error',
});

const PREFIX = /^(?:finish_?reason|stop_?reason)[_.:]/;

/** Words of servers that could not parse the call of their model. */
const REFUSED =
  /malformed_(?:function|tool)|unexpected_(?:function|tool)|(?:function|tool)_call_(?:filter|error)|invalid_(?:function|tool)_call|tool_use_failed|too_many_tool_calls/;

interface Vocabulary extends Pick<ReadFinish, 'signal' | 'word'> {
  readonly words: ReadonlySet<string>;
}

const FOREIGN: readonly Vocabulary[] = [
  vocabulary('calls', 'tool_calls', 'tool_call tool_calls tool_use tool-calls function_call function_calls toolcalls'),
  vocabulary(
    'stop',
    'stop',
    'stop end_turn eos eos_token stop_sequence stop_token stop_str completed complete done end finished end_of_turn eot',
  ),
  vocabulary(
    'cut',
    'length',
    'length max_tokens max_output_tokens max_completion_tokens max_new_tokens max_length model_length token_limit context_length model_context_window_exceeded truncated incomplete',
  ),
  vocabulary(
    'cut',
    'content_filter',
    'content_filter content_filtered content-filter safety recitation blocklist prohibited_content spii image_safety sensitive guardrail_intervened refusal',
  ),
  vocabulary(
    'error',
    'error',
    'error failed failure abort aborted cancelled canceled network_error server_error internal_error engine_error insufficient_system_resource timeout',
  ),
];

function vocabulary(signal: ReadFinish['signal'], word: string, words: string): Vocabulary {
  return { signal, word, words: new Set(words.split(' ')) };
}
