import { expect, test } from 'vitest';
import { fault, raw, reply, type ScriptedAnswer, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const error = (fields: object) => ({ error: { message: 'no luck', ...fields } });
const failed = (code: string) => reply({ failed: { code, message: 'no luck' } });

/** Failures, and the beginnings of the messages with which Codex 0.166 reports them. */
const CASES: readonly (readonly [name: string, answer: ScriptedAnswer, begins: string])[] = [
  ['quota', failed('insufficient_quota'), 'Quota exceeded. Check your plan and billing details.'],
  ['quota, as a status', fault.status(429, error({ code: 'insufficient_quota' })), 'Quota exceeded. Check your plan'],
  ['401', fault.status(401, error({})), 'unexpected status 401 Unauthorized: no luck, url: http://127.0.0.1:'],
  ['403', fault.status(403, error({})), 'unexpected status 403 Forbidden: no luck, url: http://127.0.0.1:'],
  ['404', fault.status(404, error({})), 'unexpected status 404 Not Found: no luck, url: http://127.0.0.1:'],
  ['404 of a model', fault.status(404, error({ code: 'model_not_found' })), 'no luck'],
  ['400', fault.status(400, error({ type: 'invalid' })), '{"error":{"message":"no luck","type":"invalid"}}'],
  [
    '429',
    fault.status(429, error({}), { 'x-request-id': 'req_1' }),
    'exceeded retry limit, last status: 429 Too Many Requests, request id: req_1',
  ],
  [
    '500',
    fault.status(500, error({})),
    'We’re currently experiencing high demand, which may cause temporary errors. The',
  ],
  ['a rate limit', failed('rate_limit_exceeded'), 'rate limit exceeded: no luck'],
  [
    'an error and no end',
    fault.truncated(reply(raw({ type: 'error', error: { code: 'rate_limit_exceeded', message: 'no luck' } })), 650),
    'stream disconnected before completion: no luck',
  ],
  ['an unknown failure', failed('some_code'), 'stream disconnected before completion: no luck'],
  ['a full model', failed('server_is_overloaded'), 'Selected model is at capacity. Please try a different model.'],
  [
    'a disconnected stream',
    fault.truncated(reply(say('hello there')), 200),
    'stream disconnected before completion: stream closed before response.completed',
  ],
  [
    'an incomplete response',
    reply(say('half'), { incomplete: 'max_output_tokens' }),
    'Incomplete response returned, reason: max_output_tokens',
  ],
  [
    'a filter',
    reply(say('half'), { incomplete: 'content_filter' }),
    'stream disconnected before completion: Incomplete response returned, reason: content_filter',
  ],
  // Codex names itself here.
  [
    'a full window',
    failed('context_length_exceeded'),
    "Oxbow ran out of room in the model's context window. Start a new thread or clear earlier history before retrying",
  ],
  [
    'a usage limit',
    fault.status(429, error({ type: 'usage_limit_reached', resets_in_seconds: 60 })),
    'You’ve hit your usage limit. Try again at ',
  ],
];

test.each(CASES)('%s: the message begins as that of Codex', async (_name, answer, begins) => {
  const { model, workspace } = await scene(() => answer);
  const retries = { request_max_retries: 0, stream_max_retries: 0 };
  const config = { model_providers: { scripted: retries } };
  const { code, events } = await runOxbow(['exec', '--json', 'hello'], { model, workspace, config });
  expect(code).toBe(1);
  const message = expect.stringMatching(new RegExp(`^${begins.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));
  expect(events.slice(-2)).toMatchObject([
    { type: 'error', message },
    { type: 'turn.failed', error: { message } },
  ]);
});
