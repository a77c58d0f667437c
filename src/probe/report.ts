import type { ModelErrorCode } from '../base/errors.ts';
import type { Provider } from '../base/provider.ts';
import type { Compat, WireName } from '../base/wire.ts';
import type { CheckOutcome } from './check.ts';
import type { Finding } from './finding.ts';
import type { TriedWire } from './parts.ts';

/** The result of a probe. */
export interface ProbeReport {
  /** The server with the settings that proved right. */
  readonly provider: Provider;
  readonly model: string;
  readonly modelSource: ModelSource;
  readonly wires: readonly TriedWire[];
  /** The wire that fits best. Null for a server that answered over none. */
  readonly wire: WireName | null;
  readonly compat: Compat;
  readonly checks: readonly CheckedRow[];
  readonly findings: readonly Finding[];
  /** Number of requests that were sent. */
  readonly requests: number;
  /** Whether the model called a tool, so that the agent can work with it. */
  readonly callsTools: boolean;
  /** Why the probe ended early. Null for one that ran to its end. */
  readonly failure: ProbeFailure | null;
}

/** Origin of the name of the model. */
export type ModelSource = 'given' | 'default' | 'listed' | 'unknown';

/** A check that was run or left out. */
export interface CheckedRow {
  readonly id: string;
  readonly status: CheckOutcome['status'] | 'skipped';
  readonly says: string;
  /** Number of requests that the check sent. */
  readonly requests: number;
}

export interface ProbeFailure {
  readonly message: string;
  readonly code: ModelErrorCode | null;
  /** Status of the answer. Null if there was none. */
  readonly status: number | null;
}
