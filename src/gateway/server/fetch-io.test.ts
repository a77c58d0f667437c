import { describe, expect, onTestFinished, test } from 'vitest';
import { gate, reply, say, startScriptedModel } from '../../testing/index.ts';
import { createGateway } from '../create-gateway.ts';
import type { ExchangeReport } from '../exchange/exchange-report.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { requestFor, understood } from '../test-answer.ts';
import { testOptions } from '../test-gateway.ts';

async function setUp(...[script]: Parameters<typeof startScriptedModel>) {
  const model = await startScriptedModel(script);
  onTestFinished(() => model.close());
  const reports: ExchangeReport[] = [];
  const limits = { ...DEFAULT_LIMITS, maxBodyBytes: 2000 };
  const options = testOptions(model.url, { wire: 'chat' });
  const gateway = createGateway({ ...options, limits, onReport: (report) => reports.push(report) });
  return { model, gateway, reports };
}

const post = (body: object, init: RequestInit = {}) =>
  new Request('http://gateway/v1/responses', { method: 'POST', body: JSON.stringify(body), ...init });

describe('the gateway as a function of requests', () => {
  test('streams', async () => {
    const { gateway, reports } = await setUp([reply(say('Good morning.'))]);
    const response = await gateway.fetch(post(requestFor('responses', { stream: true })));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('trailer')).toBeNull();
    expect(understood('responses', await response.text(), true).text).toBe('Good morning.');
    expect(reports).toMatchObject([{ status: 200 }]);
  });

  test('answers in one piece, lists models and refuses', async () => {
    const { gateway } = await setUp([reply(say('Good morning.'))]);
    const response = await gateway.fetch(post(requestFor('responses')));
    expect(understood('responses', await response.text(), false).text).toBe('Good morning.');
    expect((await gateway.fetch(new Request('http://gateway/v1/models'))).status).toBe(200);
    expect((await gateway.fetch(new Request('http://gateway/nothing'))).status).toBe(404);
    expect((await gateway.fetch(post(requestFor('responses', { padding: 'x'.repeat(3000) })))).status).toBe(413);
  });

  test('ends the request to the server when the body is cancelled', async () => {
    const { gateway, model, reports } = await setUp([reply(say('Hello'), gate(new Promise(() => {})))]);
    const response = await gateway.fetch(post(requestFor('responses', { stream: true })));
    await response.body?.cancel();
    const request = await model.waitForRequest(1);
    await request.ended;
    expect(request.aborted).toBe(true);
    expect(reports).toMatchObject([{ status: 499 }]);
  });

  test('ends the request to the server when the request is aborted', async () => {
    const { gateway, model } = await setUp([reply(say('Hello'), gate(new Promise(() => {})))]);
    const controller = new AbortController();
    const { signal } = controller;
    await gateway.fetch(post(requestFor('responses', { stream: true }), { signal }));
    controller.abort();
    const request = await model.waitForRequest(1);
    await request.ended;
    expect(request.aborted).toBe(true);
  });

  test('reads no more of the server than is asked for', async () => {
    const { gateway } = await setUp([reply(say('word '.repeat(2000)))]);
    const response = await gateway.fetch(post(requestFor('responses', { stream: true })));
    const reader = response.body?.getReader();
    let size = 0;
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      size += value?.byteLength ?? 0;
    }
    expect(size).toBeGreaterThan(100_000);
  });
});
