import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { McpFault } from '../../base/mcp-fault.ts';
import { tooLargeFault } from './bounded-fetch.ts';
import { faultAnswer } from './fault-answer.ts';
import type { LineSink } from './message-lines.ts';
import { idIn, readMessages } from './read-messages.ts';

export interface IntakeOptions {
  readonly server: string;
  /** Receives the first line that is not a message. */
  onNoise(line: string): void;
  onMessage(message: JSONRPCMessage): void;
}

/** A reader of the lines of a server. An answer that cannot be read fails its request. */
export interface MessageIntake extends LineSink {
  /** Notes a request that was sent, so that an answer to it is expected. */
  expect(message: JSONRPCMessage): void;
}

export function createIntake({ server, onNoise, onMessage }: IntakeOptions): MessageIntake {
  const asked = new Set<number>();
  let isNoisy = false;
  const deliver = (message: JSONRPCMessage) => {
    if ('method' in message) onMessage(message);
    else {
      asked.delete(Number(message.id));
      // The SDK handles notifications in a microtask. An answer must not pass the progress before it.
      queueMicrotask(() => onMessage(message));
    }
  };
  const fail = (id: number, fault: McpFault) => {
    if (asked.has(id)) deliver(faultAnswer(id, fault));
  };
  const noise = (line: string) => {
    if (!isNoisy) onNoise(line);
    isNoisy = true;
  };
  return {
    expect(message) {
      if ('method' in message && 'id' in message && typeof message.id === 'number') asked.add(message.id);
    },
    line(text) {
      for (const part of readMessages(text)) {
        if (part.kind === 'message') deliver(part.message);
        else if (part.kind === 'noise') noise(text);
        else fail(part.id, new McpFault('invalid', `The MCP server "${server}" sent an answer that is not JSON-RPC.`));
      }
    },
    tooLong(head, tail) {
      const id = idIn(head, tail);
      for (const one of id === undefined ? [...asked] : [id]) fail(one, tooLargeFault(server));
    },
  };
}
