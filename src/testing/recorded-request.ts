import type { IncomingHttpHeaders } from 'node:http';
import type { Item } from '../base/item.ts';
import type { ToolSpec } from '../base/tool.ts';

/** A request as the scripted model received it. */
export interface RecordedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body. Nothing about it was checked: the types say what a proper client sends. */
  readonly body: RequestBody;
  /** The body as it came. */
  readonly bytes: Buffer;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Whether the client went away before the answer had ended. */
  readonly aborted: boolean;
  /** When the whole answer had been sent. */
  readonly answeredAt?: number;
  /** Resolves when the answer has ended or the connection has; `aborted` and `answeredAt` are final then. */
  readonly ended: Promise<void>;
}

export interface RequestBody {
  readonly model?: string;
  readonly instructions?: string;
  readonly input?: readonly Item[];
  /** What the chat wire sends instead of instructions and input. */
  readonly messages?: readonly Readonly<Record<string, unknown>>[];
  readonly tools?: readonly ToolSpec[];
  readonly [field: string]: unknown;
}
