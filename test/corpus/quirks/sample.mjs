const MOST_LINES = 5;
const MOST_CHARS = 180;

/** Returns a case's response in a few lines, without the fields that are always there. */
export function sampleOf({ frames, body, body_base64 }) {
  if (frames === undefined) return bodySample(body ?? Buffer.from(body_base64, 'base64').toString());
  const lines = frames.map((frame) =>
    typeof frame === 'string' ? `data: ${bare(frame)}` : `event: ${frame.event} · data: ${bare(frame.data)}`,
  );
  return shortened(lines.filter((line) => !SILENT.test(line)));
}

/** First frames without content. */
const SILENT =
  /^data: (?:\{"choices":\[\{"delta":\{"role":"assistant"(?:,"content":(?:""|null))?\}.*|\{"type":"response.created".*)$/;

function bodySample(body) {
  const visible = body.replaceAll('\ufeff', '<BOM>').replaceAll('\r', '\\r');
  return shortened(
    visible.split(/\n|(?<=\\r)(?=data)/).map((line) => line.replace(/^(?:data: ?)?\{.*\}(?=(?:\\r)*$)/, lineOf)),
  );
}

function lineOf(line) {
  const [, before, json] = /^(data: ?)?(.*)$/.exec(line);
  return `${before ?? ''}${bare(json)}`;
}

const USUAL = new Set(['id', 'object', 'created', 'created_at', 'model', 'sequence_number', 'logprobs', 'usage']);

/** Returns JSON without the usual fields around the interesting ones; any other text unchanged. */
function bare(text) {
  try {
    const value = JSON.parse(text);
    if (typeof value !== 'object' || value === null || value.data !== undefined) return text;
    const choices = value.choices?.map(bareChoice);
    const response = value.response && without(value.response, USUAL);
    const kept = without(value, value.choices?.length === 0 ? [...USUAL].filter((key) => key !== 'usage') : USUAL);
    return JSON.stringify({ ...kept, ...(choices && { choices }), ...(response && { response }) });
  } catch {
    return text;
  }
}

function bareChoice({ index: _, logprobs: __, ...choice }) {
  const calls = choice.delta?.tool_calls;
  if (!Array.isArray(calls)) return choice;
  return { ...choice, delta: { ...choice.delta, tool_calls: calls.map((call) => without(call, ['type'])) } };
}

function without(object, keys) {
  const unwanted = new Set(keys);
  return Object.fromEntries(Object.entries(object).filter(([key]) => !unwanted.has(key)));
}

function shortened(lines) {
  const some = lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES - 2), '…', ...lines.slice(-1)];
  return some.map((line) => (line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS - 1)}…` : line));
}
