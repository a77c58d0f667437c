// Scenarios of `exec --json`, each with the answers of the scripted model. Both programs run all of them.
import { call, customCall, fault, raw, reply, say, think } from '../../dist/testing.js';

const JSON_RUN = ['exec', '--json', 'do the task'];
const done = reply(say('Done.'));
const error = (fields) => ({ error: { message: 'no luck', ...fields } });
const failed = (code, message = 'no luck') => reply({ failed: { code, message } });
const shell = (cmd, more = {}) => call('exec_command', { cmd, ...more });
const patch = (...lines) => customCall('apply_patch', ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));
const retries = { provider: { request_max_retries: 1, stream_max_retries: 1 } };

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const SCHEMA = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
  additionalProperties: false,
};
const searched = (id, action) => ({ type: 'web_search_call', id, status: 'completed', action });

const TEXTS = {
  'a plain answer': { script: [done] },
  'two messages': { script: [reply(say('First.'), say('Second.'))] },
  'reasoning with a summary': { script: [reply(think('**Looking**\n\nI look.'), say('Done.'))] },
  'reasoning in two sections': { script: [reply(think(['**One**', '**Two**']), say('Done.'))] },
  'an empty answer': { script: [reply()] },
  'an answer that fits a schema': {
    files: { 'schema.json': JSON.stringify(SCHEMA) },
    args: ['exec', '--json', '--output-schema', 'schema.json', 'do the task'],
    script: [reply(say('{"ok":true}'))],
  },
  'a web search by the server': {
    script: [
      reply(
        raw({
          type: 'response.output_item.added',
          output_index: 0,
          item: { ...searched('ws_1'), status: 'in_progress' },
        }),
        raw({
          type: 'response.output_item.done',
          output_index: 0,
          item: searched('ws_1', { type: 'search', query: 'rivers' }),
        }),
        say('Found.'),
      ),
    ],
  },
  'an image': {
    files: { 'a.png': PNG },
    args: ['exec', '--json', '-i', 'a.png', '--', 'do the task'],
    script: [done],
  },
  'a file that is not an image': {
    files: { 'a.png': 'no image' },
    args: ['exec', '--json', '-i', 'a.png', '--', 'do the task'],
    script: [done],
  },
};

const COMMANDS = {
  'a command': { script: [reply(shell('echo hello')), done] },
  'a command that fails': { script: [reply(shell('echo no >&2; exit 3')), done] },
  'a command that does not exist': { script: [reply(shell('no-such-program')), done] },
  'a command with long output': { script: [reply(shell('seq 1 200000', { max_output_tokens: 100 })), done] },
  'a command with quotes': { script: [reply(shell(`echo "it's" 'a "b"' \\$x`)), done] },
  'a command with pipes and lines': { script: [reply(shell('printf "b\\na\\n" | sort\ntest -d . && echo yes')), done] },
  'output that is not UTF-8': { script: [reply(shell("printf 'a\\377b\\033[1mc'")), done] },
  'commands in parallel': {
    unordered: true,
    script: [reply(shell('sleep 0.2; echo one'), shell('sleep 0.2; echo two')), done],
  },
  'a command in another folder': {
    files: { 'sub/a': '' },
    script: [reply(shell('ls', { workdir: 'sub' })), done],
  },
  'a command that gets input': {
    script: [
      reply(shell('read line; echo "got $line"', { yield_time_ms: 250, tty: true })),
      (request) => reply(call('write_stdin', { session_id: sessionIn(request), chars: 'hi\n', yield_time_ms: 2000 })),
      done,
    ],
  },
  'a command that outlives the turn': { script: [reply(shell('sleep 20', { yield_time_ms: 250 })), done] },
  'a command that may not write': {
    config: { sandbox_mode: 'read-only' },
    script: [reply(shell('touch made')), done],
  },
  'a command that asks to leave the sandbox': {
    config: { sandbox_mode: 'read-only' },
    script: [
      reply(shell('touch made', { sandbox_permissions: 'require_escalated', justification: 'Write a file?' })),
      done,
    ],
  },
  'an unknown tool': { script: [reply(call('no_such_tool', {})), done] },
  'a tool of an MCP server that is not there': { script: [reply(call('mcp__docs__search', { q: 'x' })), done] },
  'an unknown custom tool': { script: [reply(customCall('no_such_tool', 'x')), done] },
  'arguments that are not JSON': { script: [reply(call('exec_command', '{"cmd": echo}')), done] },
  'arguments that end too early': { script: [reply(call('exec_command', '{"cmd": "echo')), done] },
  'arguments of a wrong type': { script: [reply(call('exec_command', { cmd: 7 })), done] },
  'a look at an image': {
    files: { 'a.png': PNG },
    script: [reply(call('view_image', { path: 'a.png' })), done],
  },
  'a plan': {
    script: [
      reply(call('update_plan', { plan: [step('one', 'in_progress'), step('two', 'pending')] })),
      reply(call('update_plan', { plan: [step('one', 'completed'), step('two', 'completed')] })),
      done,
    ],
  },
};

const PATCHES = {
  'a patch that adds a file': { script: [reply(patch('*** Add File: a/b.txt', '+one')), done] },
  'a patch that updates a file': {
    files: { 'a.txt': 'one\ntwo\n' },
    script: [reply(patch('*** Update File: a.txt', '@@', ' one', '-two', '+2')), done],
  },
  'a patch that deletes a file': { files: { 'a.txt': 'x\n' }, script: [reply(patch('*** Delete File: a.txt')), done] },
  'a patch that moves a file': {
    files: { 'a.txt': 'one\n' },
    script: [reply(patch('*** Update File: a.txt', '*** Move to: b.txt', '@@', '-one', '+1')), done],
  },
  'a patch of several files': {
    files: { 'a.txt': 'one\n', 'b.txt': 'x\n' },
    script: [
      reply(patch('*** Update File: a.txt', '@@', '-one', '+1', '*** Delete File: b.txt', '*** Add File: c.txt', '+c')),
      done,
    ],
  },
  'a patch that does not fit': {
    files: { 'a.txt': 'one\n' },
    script: [reply(patch('*** Update File: a.txt', '@@', '-nine', '+1')), done],
  },
  'a patch that cannot be read': { script: [reply(customCall('apply_patch', '*** Begin Patch\n*** Rename: a')), done] },
  'a patch that the sandbox refuses': {
    config: { sandbox_mode: 'read-only' },
    script: [reply(patch('*** Add File: a.txt', '+one')), done],
  },
  'a patch in a command': {
    script: [reply(shell("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch\nEOF")), done],
  },
};

const FAILURES = {
  'status 401': { script: [fault.status(401, error())] },
  'status 403': { script: [fault.status(403, error())] },
  'status 404': { script: [fault.status(404, error())] },
  'status 400': { script: [fault.status(400, error({ type: 'invalid_request_error' }))] },
  'status 429': { script: [fault.status(429, error())] },
  'status 429 with a time, then an answer': {
    ...retries,
    script: [fault.status(429, error(), { 'retry-after': '1' }), done],
  },
  'status 500': { script: [fault.status(500, error())] },
  'status 500, then an answer': { ...retries, script: [fault.status(500, error()), done] },
  'status 503': { script: [fault.status(503, error())] },
  'a page of a proxy': { script: [fault.html(502)] },
  'no server': { timeoutMs: 8000, provider: { base_url: 'http://127.0.0.1:9/v1' } },
  'a used-up quota': { script: [failed('insufficient_quota')] },
  'a usage limit': { script: [fault.status(429, error({ type: 'usage_limit_reached', resets_at: 4_000_000_000 }))] },
  'a rate limit in the stream': { script: [failed('rate_limit_exceeded')] },
  'an error frame in the stream': {
    script: [reply(raw({ type: 'error', error: { code: 'rate_limit_exceeded', message: 'no luck' } }))],
  },
  'an error frame and no end': {
    script: [
      fault.truncated(reply(raw({ type: 'error', error: { code: 'rate_limit_exceeded', message: 'no luck' } })), 700),
    ],
  },
  'a full model': { script: [failed('server_is_overloaded')] },
  'a full context window': { script: [failed('context_length_exceeded')] },
  'an invalid prompt': { script: [failed('invalid_prompt', 'not allowed')] },
  'an unknown failure in the stream': { script: [failed('some_code')] },
  'an answer that reached its limit': { script: [reply(say('Half'), { incomplete: 'max_output_tokens' })] },
  'an answer that a filter ended': { script: [reply(say('Half'), { incomplete: 'content_filter' })] },
  'a stream that breaks off': { script: [fault.truncated(reply(say('hello there')), 200)] },
  'a stream that breaks off, then an answer': {
    ...retries,
    script: [fault.truncated(reply(say('hello there')), 200), done],
  },
  'a stream that falls silent': { provider: { stream_idle_timeout_ms: 700 }, script: [fault.hang()] },
};

const THREADS = {
  'a resumed thread': {
    before: [{ args: JSON_RUN }],
    args: ['exec', '--json', 'resume', '{thread}', 'and now'],
    script: [done, reply(say('Again.'))],
  },
  'the newest thread': {
    before: [{ args: JSON_RUN }],
    args: ['exec', '--json', 'resume', '--last', 'and now'],
    script: [done, reply(say('Again.'))],
  },
  'a thread of three turns with commands': {
    before: [{ args: JSON_RUN }, { args: ['exec', '--json', 'resume', '--last', 'second'] }],
    args: ['exec', '--json', 'resume', '--last', 'third'],
    script: [reply(shell('echo 1')), done, reply(shell('echo 2')), done, reply(shell('echo 3')), done],
  },
  'a turn after a failed one': {
    before: [{ args: JSON_RUN }],
    args: ['exec', '--json', 'resume', '--last', 'again'],
    script: [fault.status(400, error()), done],
  },
  'a compaction in the middle of a turn': {
    config: { model_auto_compact_token_limit: 5000 },
    script: [
      reply(shell('echo one'), { usage: { inputTokens: 6000, outputTokens: 10, totalTokens: 6010 } }),
      reply(say('A summary.')),
      done,
    ],
  },
  'SIGINT during a command': {
    signal: { name: 'SIGINT', after: 'item.started' },
    script: [reply(shell('sleep 20', { yield_time_ms: 20_000 })), done],
  },
  'SIGTERM during a command': {
    signal: { name: 'SIGTERM', after: 'item.started' },
    script: [reply(shell('sleep 20', { yield_time_ms: 20_000 })), done],
  },
};

/** Returns the number of the running command that the output in a request names. */
function sessionIn({ body }) {
  return Number(/session ID (\d+)/.exec(JSON.stringify(body.input))?.[1]);
}

function step(text, status) {
  return { step: text, status };
}

/** Returns a script with functions of the request as a function, which a list may not have. */
function scriptOf(script = []) {
  return script.some((answer) => typeof answer === 'function')
    ? (request, n) => (typeof script[n - 1] === 'function' ? script[n - 1](request) : script[n - 1])
    : script;
}

export const JSON_SCENARIOS = Object.entries({ ...TEXTS, ...COMMANDS, ...PATCHES, ...FAILURES, ...THREADS }).map(
  ([name, scenario]) => ({ kind: 'json', args: JSON_RUN, ...scenario, name, script: scriptOf(scenario.script) }),
);
