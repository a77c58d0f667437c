import type { IncomingHttpHeaders } from 'node:http';
import type { Item } from '../base/item.ts';
import type { ToolSpec } from '../base/tool.ts';

/** A request that the scripted model received. */
export interface RecordedRequest {
  readonly method: string;
  /** Path with the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed body, unchecked. The types describe the requests of a proper client. */
  readonly body: RequestBody;
  /** Body as received. */
  readonly bytes: Buffer;
  /** Time of arrival in milliseconds since 1970. */
  readonly receivedAt: number;
  /** Whether the client went away before the answer had ended. */
  readonly aborted: boolean;
  /** Time when the whole answer had been sent. */
  readonly answeredAt?: number;
  /** Resolves when the answer or the connection has ended. `aborted` and `answeredAt` are then final. */
  readonly ended: Promise<void>;
}

/** The body of a request, with the fields that tests mostly read. */
export interface RequestBody {
  readonly model?: string;
  readonly instructions?: string;
  readonly input?: readonly Item[];
  /** Messages of the chat wire, instead of instructions and input. */
  readonly messages?: readonly Readonly<Record<string, unknown>>[];
  readonly tools?: readonly ToolSpec[];
  readonly [field: string]: unknown;
}
