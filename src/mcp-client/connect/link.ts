import type { Client, RequestOptions, StandardSchemaV1, Tool } from '@modelcontextprotocol/client';
import { isRecord } from '../../base/json-schema.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import type { CallInProgress } from './answer-questions.ts';
import { faultOf } from './fault-of.ts';
import type { Sdk } from './load-sdk.ts';

/** A client of the SDK that is connected to a server, and the state of the connection. */
export interface Link {
  readonly sdk: Sdk;
  readonly client: Client;
  /** Name of the server in the configuration. */
  readonly server: string;
  /** Calls that the server works on, oldest first. */
  readonly running: Set<CallInProgress>;
  /** Tools as the server listed them last, by name. A server of 2026-07-28 wants headers that they declare. */
  readonly tools: Map<string, Tool>;
  roots(): readonly string[];
}

/** Time that the lists and resources of a server may take. */
const REQUEST_TIMEOUT_MS = 60_000;

/**
 * Sends a request and returns its result as it came. The SDK would refuse a whole list for one entry that it does not
 * know.
 */
export async function request(
  { sdk, client, server }: Link,
  method: string,
  params: Readonly<Record<string, unknown>>,
  options: RequestOptions & { readonly signal: AbortSignal },
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await client.request({ method, params: { ...params } }, ANY_RESULT, {
      timeout: REQUEST_TIMEOUT_MS,
      ...options,
    });
  } catch (error) {
    throw options.signal.aborted ? cancelled(server) : faultOf(sdk, server, error);
  }
}

export const cancelled = (server: string) =>
  new McpFault('cancelled', `The request to the MCP server "${server}" was cancelled.`);

export const isModern = ({ client }: Link) => client.getProtocolEra() === 'modern';

/** A schema that accepts every object. */
const ANY_RESULT: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'oxbow',
    validate: (value: unknown) =>
      isRecord(value) ? { value } : { issues: [{ message: 'The result is not an object.' }] },
  },
};
