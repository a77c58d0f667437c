import type { Repair } from '../../base/repair.ts';

/** Report of one exchange, for the log and the counters. Holds no content and no secret. */
export interface ExchangeReport {
  readonly id: string;
  readonly clientWire: string;
  readonly serverWire: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly stream: boolean;
  /** The status that the client got; 499 when the client left. */
  readonly status: number;
  readonly ms: number;
  readonly firstByteMs: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly repairs: readonly Omit<Repair, 'before' | 'after'>[];
  /** Frames of a streamed answer that began calls: the number of the frame, from 1, and the number of its calls. */
  readonly calls: readonly BegunCalls[];
  /** Adaptations of the request: ids such as G1, and lessons in words. */
  readonly adaptations: readonly string[];
  readonly error: string | null;
}

/** Calls that began in one frame of a stream. */
export interface BegunCalls {
  readonly frame: number;
  readonly calls: number;
}
