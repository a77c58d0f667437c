import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isRecord } from '../../base/json-schema.ts';
import { McpFault } from '../../base/mcp-fault.ts';

const INTERNAL_ERROR = -32603;

/** Returns an answer that makes a request of the SDK fail with a fault. A server never sends one. */
export function faultAnswer(id: number, fault: McpFault): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: fault.message, data: fault } };
}

/** Returns the fault in an error that the SDK made of such an answer. */
export function faultIn(error: unknown): McpFault | undefined {
  return isRecord(error) && error.data instanceof McpFault ? error.data : undefined;
}
