import type { RunLimit } from '../../base/event.ts';
import type { LogLine, OxbowLine } from '../../base/log.ts';

type TurnFailed = Extract<OxbowLine, { readonly kind: 'turn.failed' }>;

/**
 * Returns a line of an older version with the fields that it lacks, read from its message. Older versions recorded the
 * limit that a turn reached, and the reason why a response was cut off, only in words. No other code reads these words.
 */
export function readOlderFailure(line: LogLine): LogLine {
  if (line.type !== 'oxbow' || line.payload.kind !== 'turn.failed') return line;
  const { limit, cut_off, said } = line.payload;
  if (limit !== undefined || cut_off !== undefined || said !== undefined) return line;
  return { ...line, payload: completed(line.payload) };
}

function completed(failure: TurnFailed): TurnFailed {
  const { code, message } = failure;
  if (code === 'limit') return withLimit(failure);
  const said = message.startsWith(OF_COMPACTION) ? message.slice(OF_COMPACTION.length) : undefined;
  const cutOff = code === 'incomplete' ? / was cut off: (.*)\.$/s.exec(message)?.[1] : undefined;
  return { ...failure, ...(cutOff !== undefined && { cut_off: cutOff }), ...(said !== undefined && { said }) };
}

const OF_COMPACTION = 'The thread could not be compacted and was left as it was: ';

/**
 * Returns a failure with its limit. Older messages named a flag, which is removed. The message of the time limit stays
 * unchanged, because outputs of the calls that it ended quote it.
 */
function withLimit(failure: TurnFailed): TurnFailed {
  for (const { kind, pattern, unit } of LIMITS) {
    const number = pattern.exec(failure.message)?.[1];
    if (number === undefined) continue;
    const message = kind === 'time' ? failure.message : failure.message.replace(/ \(--[a-z-]+\)\.$/, '.');
    return { ...failure, message, limit: { kind, value: Number(number) * unit } };
  }
  return failure;
}

const LIMITS: readonly { readonly kind: RunLimit['kind']; readonly pattern: RegExp; readonly unit: number }[] = [
  { kind: 'requests', pattern: /^The limit of (\d+) requests /, unit: 1 },
  { kind: 'tokens', pattern: /^The limit of (\d+) tokens /, unit: 1 },
  { kind: 'cost', pattern: /^The limit of \$([\d.e-]+) /, unit: 1 },
  { kind: 'time', pattern: /^The time limit of ([\d.]+) seconds /, unit: 1000 },
];
