// Writes rollouts of any length, for bench/threads.mjs and bench/terminal.mjs.
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export const OUTPUT = 'some words of a file that was read, '.repeat(250);
const IMAGE = `data:image/png;base64,${'iVBORw0KGgo='.repeat(10_000)}`;

/** Writes a thread of at least this size. Returns the number of its turns. */
export function writeRollout(oxbowHome, { id, bytes }, turnText) {
  const folder = join(oxbowHome, 'sessions/2026/11/15');
  mkdirSync(folder, { recursive: true });
  const fd = openSync(join(folder, `rollout-2026-11-15T10-00-00-${id}.jsonl`), 'w', 0o600);
  let ordinal = 0;
  let size = 0;
  const put = (type, payload, metadata) => {
    const timestamp = '2026-11-15T10:00:00.000Z';
    const line = `${JSON.stringify({ timestamp, ordinal: ordinal++, type, payload, metadata })}\n`;
    size += line.length;
    return line;
  };
  const meta = { id, session_id: id, timestamp: '2026-11-15T10:00:00.000Z', cwd: oxbowHome, originator: 'bench' };
  const more = { cli_version: '0', source: 'exec', model_provider: 'bench', base_instructions: { text: 'Work.' } };
  writeSync(fd, put('session_meta', { ...meta, ...more, history_mode: 'legacy' }));
  let turns = 0;
  while (size < bytes) writeSync(fd, turnText(++turns, put));
  closeSync(fd);
  return turns;
}

/** Returns a turn as it is after many compactions: it ends with the items kept from earlier ones. */
export function block(turn, put) {
  const counts = {
    input_tokens: turn,
    cached_input_tokens: 0,
    output_tokens: 1,
    reasoning_output_tokens: 0,
    total_tokens: turn + 1,
  };
  const lines = [
    put('event_msg', { type: 'task_started', turn_id: `turn ${turn}` }),
    put('turn_context', context(`turn ${turn}`)),
    put('response_item', user(`Question ${turn}.`)),
  ];
  for (let step = 0; step < 60; step++) {
    const call_id = `call_${turn}_${step}`;
    lines.push(
      put('response_item', {
        type: 'function_call',
        id: `fc_${turn}_${step}`,
        call_id,
        name: 'exec_command',
        arguments: '{"cmd":"cat file"}',
      }),
    );
    lines.push(put('oxbow', { kind: 'call.started', call_id }));
    lines.push(
      put('response_item', { type: 'function_call_output', id: `fco_${turn}_${step}`, call_id, output: OUTPUT }),
    );
  }
  lines.push(
    put('response_item', {
      type: 'message',
      id: `img_${turn}`,
      role: 'user',
      content: [{ type: 'input_image', image_url: IMAGE }],
    }),
  );
  lines.push(put('event_msg', { type: 'token_count', info: { total_token_usage: counts, last_token_usage: counts } }));
  lines.push(
    put('oxbow', {
      kind: 'checkpoint',
      turns: turn,
      requests: turn * 60,
      usage: counts,
      queue: [],
      instructions: 'Work.',
      tools: null,
    }),
  );
  const kept = Array.from({ length: 20 }, (_, index) =>
    user(`Question ${turn - index}, with some words more. `.repeat(100)),
  );
  lines.push(put('compacted', { message: 'Much was done.', replacement_history: [...kept, user('Much was done.')] }));
  lines.push(put('event_msg', { type: 'task_complete', turn_id: `turn ${turn}`, last_agent_message: 'Done.' }));
  return lines.join('');
}

export function user(text) {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

export function context(turn_id) {
  return { turn_id, cwd: '/', approval_policy: 'never', sandbox_policy: {}, model: 'bench', summary: 'none' };
}
