import { expect, test } from 'vitest';
import type { Repair } from '../base/repair.ts';
import type { ExchangeReport } from './exchange/exchange-report.ts';
import { createMetrics } from './metrics.ts';

const REPORT: ExchangeReport = {
  id: 'x1',
  clientWire: 'responses',
  serverWire: 'chat',
  provider: 'mine',
  model: 'm',
  stream: true,
  status: 200,
  ms: 400,
  firstByteMs: 20,
  inputTokens: 100,
  outputTokens: 7,
  repairs: [],
  calls: [],
  adaptations: [],
  error: null,
};

function repair(id: string): Repair {
  return { id, title: 't', frame: 1, callId: null, before: '', after: '' };
}

/** Returns the samples by name and labels. Fails on a line that is not a sample. */
function samples(text: string): Map<string, number> {
  expect(text.endsWith('\n')).toBe(true);
  const found = new Map<string, number>();
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('#')) continue;
    const [, name = '', value] = /^([a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)+\})?) (\S+)$/.exec(line) ?? [];
    expect(name, line).not.toBe('');
    expect(found.has(name), `${name} stands twice`).toBe(false);
    found.set(name, Number(value));
  }
  return found;
}

test('exchanges, repairs, adaptations and tokens are counted', () => {
  const metrics = createMetrics();
  metrics.observe({
    ...REPORT,
    repairs: [repair('A1'), repair('B6'), repair('A1')],
    adaptations: ['G1', 'The server refused store.'],
  });
  metrics.observe(REPORT);
  metrics.observe({ ...REPORT, status: 502, serverWire: null, provider: null, inputTokens: null, outputTokens: null });
  const found = samples(metrics.text(0));
  const exchanges = 'oxbow_gateway_exchanges_total';
  expect(found.get(`${exchanges}{client_wire="responses",server_wire="chat",provider="mine",status="200"}`)).toBe(2);
  expect(found.get(`${exchanges}{client_wire="responses",server_wire="none",provider="none",status="502"}`)).toBe(1);
  expect(found.get('oxbow_gateway_repairs_total{id="A1"}')).toBe(2);
  expect(found.get('oxbow_gateway_repairs_total{id="B6"}')).toBe(1);
  expect(found.get('oxbow_gateway_adaptations_total{id="G1"}')).toBe(1);
  expect(found.get('oxbow_gateway_adaptations_total{id="learned"}')).toBe(1);
  expect(found.get('oxbow_gateway_tokens_total{kind="input"}')).toBe(200);
  expect(found.get('oxbow_gateway_tokens_total{kind="output"}')).toBe(14);
});

test('histograms add up: a bucket holds all that is not above its bound', () => {
  const metrics = createMetrics();
  for (const ms of [100, 101, 700_000]) metrics.observe({ ...REPORT, ms, firstByteMs: null });
  const found = samples(metrics.text(0));
  expect(found.get('oxbow_gateway_exchange_seconds_bucket{le="0.1"}')).toBe(1);
  expect(found.get('oxbow_gateway_exchange_seconds_bucket{le="0.25"}')).toBe(2);
  expect(found.get('oxbow_gateway_exchange_seconds_bucket{le="600"}')).toBe(2);
  expect(found.get('oxbow_gateway_exchange_seconds_bucket{le="+Inf"}')).toBe(3);
  expect(found.get('oxbow_gateway_exchange_seconds_count')).toBe(3);
  expect(found.get('oxbow_gateway_exchange_seconds_sum')).toBeCloseTo(700.201);
  expect(found.get('oxbow_gateway_first_byte_seconds_count')).toBe(0);
});

test('the exchanges under way are a gauge', () => {
  const metrics = createMetrics();
  expect(samples(metrics.text(1)).get('oxbow_gateway_active')).toBe(1);
});

test('labels are escaped, and names that clients choose are not labels', () => {
  const metrics = createMetrics();
  metrics.observe({
    ...REPORT,
    provider: 'a"b\\c\nd',
    clientWire: 'made up',
    model: 'model-of-a-client',
    status: 12,
    repairs: [repair('no "id"')],
    adaptations: ['dropped "secret"'],
  });
  const text = metrics.text(0);
  const labels = 'client_wire="other",server_wire="chat",provider="a\\"b\\\\c\\nd",status="other"';
  expect(samples(text).get(`oxbow_gateway_exchanges_total{${labels}}`)).toBe(1);
  expect(samples(text).get('oxbow_gateway_repairs_total{id="other"}')).toBe(1);
  expect(text).not.toContain('secret');
  expect(text).not.toContain('model-of-a-client');
});

test('the number of series is bounded', () => {
  const metrics = createMetrics();
  for (let n = 0; n < 3000; n++) metrics.observe({ ...REPORT, provider: `p"${n}`, adaptations: [`X${n}`] });
  const found = samples(metrics.text(0));
  expect(found.size).toBeLessThan(1100);
  const other = 'client_wire="other",server_wire="other",provider="other",status="other"';
  expect(found.get(`oxbow_gateway_exchanges_total{${other}}`)).toBe(2500);
  expect(found.get('oxbow_gateway_adaptations_total{id="other"}')).toBe(2500);
});
