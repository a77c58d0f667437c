// Measures the cost of repairing a stream over a plain parse of the same bytes: both in one process, in turns, because
// only their ratio means anything. Run by bench/run.mjs in a process of its own; alone: node bench/repair.mjs (after a
// build).
import { DEFAULT_COMPAT, loadWire, repairStream } from '../dist/wire.js';

const WIRES = { chat: await loadWire('chat'), responses: await loadWire('responses') };
const ROUNDS = 15;
const STREAM_MB = 4;
const READ_BYTES = 16 * 1024;
const LONG_MB = 256;
const MB = 1024 * 1024;

let sequence = 0;

const tools = [
  {
    type: 'function',
    name: 'exec_command',
    description: '',
    strict: false,
    parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] },
  },
];

const healthy = {
  chat: streamOf((n) => healthyChat(n)),
  responses: streamOf((n) => healthyResponses(n)),
};
const broken = streamOf((n) => brokenChat(n));

/** Against the parser alone a repair looks worse than against a decoder, which also uses the values. */
const BARE = { least: null, plain: parsePlain, repaired: parseRepaired };

const rows = [
  throughput('healthy chat stream, bytes to events', 'chat', healthy.chat, { least: 0.8 }),
  throughput('healthy responses stream, bytes to events', 'responses', healthy.responses, { least: 0.8 }),
  throughput('chat stream with repairs, bytes to events', 'chat', broken, { least: 0.5 }),
  throughput('healthy chat stream, over JSON.parse alone', 'chat', healthy.chat, BARE),
  throughput('healthy responses stream, over JSON.parse alone', 'responses', healthy.responses, BARE),
  addedPerFrame('time that repairing adds to a frame, median', 'chat', healthy.chat),
  addedPerFrame('the same with repairs', 'chat', broken),
  memoryOverLongStream(),
];

for (const { measure, shown, verdict } of rows) process.stdout.write(`${measure.padEnd(52)}  ${shown}  ${verdict}\n`);
process.send?.(rows);
process.disconnect?.();

/** Returns a response of some megabytes, its bytes cut as they are read from a connection. */
function streamOf(framesAt) {
  const text = [];
  let size = 0;
  for (let n = 0; size < STREAM_MB * MB; n++) {
    for (const frame of framesAt(n)) {
      text.push(frame);
      size += frame.length;
    }
  }
  return reads(Buffer.from(text.join('')));
}

function reads(bytes) {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += READ_BYTES) pieces.push(bytes.subarray(at, at + READ_BYTES));
  return pieces;
}

function chunk(delta, finish_reason = null) {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
  const fields = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'm' };
  return `data: ${JSON.stringify({ ...fields, system_fingerprint: 'fp_1', choices, usage: null })}\n\n`;
}

/** Returns mostly words of a text, some reasoning, and a long call after each thousand. */
function healthyChat(n) {
  if (n === 0) return [chunk({ role: 'assistant', content: '' })];
  if (n % 1000 < 900) return [chunk({ content: ` word${n % 97}` })];
  if (n % 1000 < 950) return [chunk({ reasoning_content: ` thought${n % 97}` })];
  return callFrames(Math.floor(n / 1000) % 200, n % 1000 === 950, `line ${n}\\n`);
}

function callFrames(index, isFirst, text) {
  if (isFirst) {
    const call = { index, id: `call_${index}`, type: 'function', function: { name: 'exec_command', arguments: '' } };
    return [chunk({ tool_calls: [call] }), chunk({ tool_calls: [{ index, function: { arguments: '{"cmd":"' } }] })];
  }
  return [chunk({ tool_calls: [{ index, function: { arguments: text } }] })];
}

/**
 * Returns the same with the additions of broken servers: empty ids and names, foreign finish signals, mirrors, raw line
 * breaks.
 */
function brokenChat(n) {
  if (n === 0) return [chunk({ role: 'assistant', content: '' }, '')];
  if (n % 10 === 3) return [chunk({ content: ` <tool_ ${n}` })];
  if (n % 10 === 4) return [chunk({ reasoning_content: 'so', reasoning: 'so' })];
  if (n % 10 === 5) return [chunk({ content: [{ type: 'text', text: ` part${n}` }] })];
  if (n % 1000 < 900) return [chunk({ content: ` word${n % 97}` }, n % 2 === 0 ? '' : null)];
  const index = Math.floor(n / 1000) % 200;
  if (n % 1000 === 900) return callFrames(index, true, '');
  const call = { index, id: '', type: 'function', function: { name: '', arguments: `line ${n}\n\\d` } };
  return [chunk({ tool_calls: [call] })];
}

function event(type, fields) {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: ++sequence, ...fields })}\n\n`;
}

function healthyResponses(n) {
  const place = { output_index: 0, item_id: 'msg_1' };
  if (n === 0) {
    return [
      event('response.created', { response: { id: 'resp_1', object: 'response', output: [] } }),
      event('response.output_item.added', {
        output_index: 0,
        item: { id: 'msg_1', type: 'message', role: 'assistant', content: [] },
      }),
      event('response.content_part.added', { ...place, content_index: 0, part: { type: 'output_text', text: '' } }),
    ];
  }
  return [event('response.output_text.delta', { ...place, content_index: 0, delta: ` word${n % 97}`, logprobs: [] })];
}

function open(wire) {
  return repairStream(wire, {
    request: { input: [], tools },
    compat: DEFAULT_COMPAT,
    memory: { startsThinking: false },
    onRepair: () => {},
  });
}

/** Reads bytes to events as the agent does, without the repair. */
function readPlain(pieces, wire) {
  const reader = WIRES.chat.framing.createReader();
  const decoder = WIRES[wire].decodeStream({ input: [], tools });
  let count = 0;
  for (const bytes of pieces) for (const frame of reader.push(bytes)) count += decoder.push(frame).length;
  return count;
}

function readRepaired(pieces, wire) {
  const reader = WIRES.chat.framing.createReader();
  const decoder = WIRES[wire].decodeStream({ input: [], tools });
  const repair = open(wire);
  let count = 0;
  for (const bytes of pieces) {
    for (const frame of reader.push(bytes))
      for (const repaired of repair.push(frame)) count += decoder.push(repaired).length;
  }
  return count;
}

/** Reads bytes to values only. For information: a real reader also uses the values. */
function parsePlain(pieces) {
  const reader = WIRES.chat.framing.createReader();
  let count = 0;
  for (const bytes of pieces) for (const { data } of reader.push(bytes)) if (JSON.parse(data).id !== 0) count++;
  return count;
}

function parseRepaired(pieces, wire) {
  const reader = WIRES.chat.framing.createReader();
  const repair = open(wire);
  let count = 0;
  for (const bytes of pieces) {
    for (const frame of reader.push(bytes)) for (const repaired of repair.push(frame)) if (repaired.json !== 0) count++;
  }
  return count;
}

function timed(work) {
  const began = performance.now();
  work();
  return performance.now() - began;
}

function throughput(measure, wire, pieces, { least, plain: without = readPlain, repaired: withRepair = readRepaired }) {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const plain = [];
  const repaired = [];
  // The first three rounds warm up V8.
  for (let round = -3; round < ROUNDS; round++) {
    const runs = [() => timed(() => without(pieces, wire)), () => timed(() => withRepair(pieces, wire))];
    const times =
      round % 2 === 0
        ? runs.map((run) => run())
        : runs
            .toReversed()
            .map((run) => run())
            .toReversed();
    if (round < 0) continue;
    plain.push(times[0]);
    repaired.push(times[1]);
  }
  const ratio = median(plain.map((ms, round) => ms / repaired[round]));
  const speed = (times) => `${(bytes / MB / (median(times) / 1000)).toFixed(0)} MB/s`;
  return {
    measure,
    ratio,
    least,
    shown: `${speed(plain)} → ${speed(repaired)}, ratio ${ratio.toFixed(2)}${least ? ` (at least ${least})` : ''}`,
    verdict: least === null ? 'for information' : ratio >= least ? 'within' : 'under',
  };
}

/** Measures frame by frame against a plain parse of the same frame. Both include the cost of the timer. */
function addedPerFrame(measure, wire, pieces) {
  const reader = WIRES.chat.framing.createReader();
  const frames = pieces.flatMap((bytes) => reader.push(bytes));
  const added = [];
  for (let round = 0; round < 5; round++) {
    const repair = open(wire);
    for (const frame of frames) {
      const began = process.hrtime.bigint();
      JSON.parse(frame.data);
      const parsed = process.hrtime.bigint();
      repair.push(frame);
      const repaired = process.hrtime.bigint();
      if (round > 0) added.push(Number(repaired - parsed - (parsed - began)) / 1000);
    }
  }
  const us = median(added);
  return { measure, us, most: 20, shown: `${us.toFixed(2)} µs (at most 20)`, verdict: us <= 20 ? 'within' : 'over' };
}

/** Repairs one response almost as long as allowed. The memory of the repair must not grow with the response. */
function memoryOverLongStream() {
  const reader = WIRES.chat.framing.createReader();
  const repair = open('chat');
  const block = streamOf((n) => [chunk({ content: ` word${n % 97}` })]);
  const blockBytes = block.reduce((sum, piece) => sum + piece.length, 0);
  let fed = 0;
  let early = 0;
  let peak = 0;
  while (fed < LONG_MB * MB) {
    for (const bytes of block) for (const frame of reader.push(bytes)) repair.push(frame);
    fed += blockBytes;
    const { rss } = process.memoryUsage();
    if (fed < 32 * MB) early = Math.max(early, rss);
    peak = Math.max(peak, rss);
  }
  const ratio = peak / early;
  return {
    measure: 'memory over one response of 256 MB, peak over first 32 MB',
    ratio,
    most: 1.25,
    shown: `${(early / MB).toFixed(0)} MB → ${(peak / MB).toFixed(0)} MB, ratio ${ratio.toFixed(2)} (at most 1.25)`,
    verdict: ratio <= 1.25 ? 'within' : 'over',
  };
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
