import { WIRE_NAMES } from '../wire/registry.ts';
import type { ExchangeReport } from './exchange/exchange-report.ts';

/** Counters of a gateway, for `GET /metrics`. */
export interface Metrics {
  observe(report: ExchangeReport): void;
  /** Returns all counts so far, in the text format of Prometheus. `active` is the number of exchanges under way. */
  text(active: number): string;
}

const EXCHANGE_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const FIRST_BYTE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Models are not labels: clients choose their names, and each new name would be kept forever. */
export function createMetrics(): Metrics {
  const exchanges = createCounter('exchanges_total', 'Exchanges by how they were answered.');
  const repairs = createCounter('repairs_total', 'Repairs of responses, by their id.');
  const adaptations = createCounter('adaptations_total', 'Adaptations of requests, by their id.');
  const tokens = createCounter('tokens_total', 'Tokens as the servers counted them.');
  const whole = createHistogram('exchange_seconds', 'From a request to the end of its answer.', EXCHANGE_SECONDS);
  const first = createHistogram('first_byte_seconds', 'From a request to its first byte.', FIRST_BYTE_SECONDS);
  return {
    observe(report) {
      exchanges.add(exchangeLabels(report));
      for (const { id } of report.repairs) repairs.add(`id="${isId(id) ? id : 'other'}"`);
      // A lesson about a server is a sentence, not an id.
      for (const id of report.adaptations) adaptations.add(`id="${isId(id) ? id : 'learned'}"`);
      tokens.add('kind="input"', report.inputTokens ?? 0);
      tokens.add('kind="output"', report.outputTokens ?? 0);
      whole.observe(report.ms / 1000);
      if (report.firstByteMs !== null) first.observe(report.firstByteMs / 1000);
    },
    text(active) {
      const gauge = `${heading('active', 'Exchanges that are going on.', 'gauge')}${PREFIX}active ${active}\n`;
      return [exchanges, repairs, adaptations, tokens, whole, first].map(({ text }) => text()).join('') + gauge;
    },
  };
}

const PREFIX = 'oxbow_gateway_';
/** Largest number of series of one counter. All further ones are counted together. */
const MAX_SERIES = 500;
const LONGEST_LABEL = 60;

const heading = (name: string, help: string, type: string) =>
  `# HELP ${PREFIX}${name} ${help}\n# TYPE ${PREFIX}${name} ${type}\n`;

function exchangeLabels({ clientWire, serverWire, provider, status }: ExchangeReport): string {
  const code = status >= 100 && status <= 599 ? Math.floor(status) : 'other';
  const wires = `client_wire="${wireLabel(clientWire)}",server_wire="${wireLabel(serverWire)}"`;
  return `${wires},provider="${escapeLabel(provider ?? 'none')}",status="${code}"`;
}

function wireLabel(wire: string | null): string {
  if (wire === null) return 'none';
  return WIRE_NAMES.includes(wire) ? wire : 'other';
}

const isId = (text: string) => /^[A-Za-z][\w.-]{0,39}$/.test(text);

function escapeLabel(text: string): string {
  const label = text.slice(0, LONGEST_LABEL);
  if (!/[\\"\n]/.test(label)) return label;
  return label.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

interface Counter {
  /** `labels` is the text between the braces. */
  add(labels: string, by?: number): void;
  text(): string;
}

function createCounter(name: string, help: string): Counter {
  const series = new Map<string, number>();
  return {
    add(labels, by = 1) {
      if (!(by >= 0)) return;
      const key =
        series.has(labels) || series.size < MAX_SERIES
          ? labels
          : labels.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '"other"');
      series.set(key, (series.get(key) ?? 0) + by);
    },
    text() {
      const lines = Array.from(series, ([labels, value]) => `${PREFIX}${name}{${labels}} ${value}\n`);
      return heading(name, help, 'counter') + lines.join('');
    },
  };
}

interface Histogram {
  observe(seconds: number): void;
  text(): string;
}

function createHistogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const counts = bounds.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    observe(seconds) {
      if (!(seconds >= 0)) return;
      const bucket = bounds.findIndex((bound) => seconds <= bound);
      if (bucket >= 0) counts[bucket] = (counts[bucket] ?? 0) + 1;
      count++;
      sum += seconds;
    },
    text() {
      let below = 0;
      const buckets = bounds.map((bound, index) => {
        below += counts[index] ?? 0;
        return `${PREFIX}${name}_bucket{le="${bound}"} ${below}\n`;
      });
      const end = `${PREFIX}${name}_bucket{le="+Inf"} ${count}\n${PREFIX}${name}_sum ${sum}\n${PREFIX}${name}_count ${count}\n`;
      return heading(name, help, 'histogram') + buckets.join('') + end;
    },
  };
}
