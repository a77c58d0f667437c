import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A client library of other people, with one of the protocols that it speaks. */
export interface Sdk {
  readonly name: string;
  /** Packages that have to be installed. */
  readonly packages: readonly string[];
  /** Things that the library cannot do, whatever the server is. */
  readonly lacks?: readonly Ability[];
  /** Loads the library. The function that it returns asks the server at an address without a path. */
  load(require: NodeJS.Require): (origin: string, ask: Ask) => Promise<Answer>;
}

/**
 * Things that some libraries cannot do: send reasoning back, send the signature under it back, end the connection of a
 * cancelled request, read the usage of the input at the end of a stream, and see that a stream has failed.
 */
export type Ability = 'reasoning' | 'memory' | 'signature' | 'cancellation' | 'late usage' | 'failed stream';

/** A question, with everything that it takes to answer it. */
export interface Ask {
  readonly prompt: string;
  readonly stream: boolean;
  /** PNG in base64. */
  readonly image?: string;
  /** Runs the tool `weather`. Without it, no tool is offered. */
  readonly weather?: (city: string) => string;
  /** Whether the model should think first. */
  readonly thinks?: boolean;
  /** Schema of the answer. */
  readonly schema?: object;
  readonly signal?: AbortSignal;
  /** Called with the first piece of text of a stream. */
  readonly onText?: () => void;
}

export interface Answer {
  /** Text of the last message, or its object as JSON if there was a schema. */
  readonly text: string;
  /** Reasoning of all messages. */
  readonly thought: string;
  /** Tokens of the last message, with cached ones. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

export const WEATHER = {
  name: 'weather',
  description: 'The weather in a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'Name of the city.' } },
    required: ['city'],
    additionalProperties: false,
  },
} as const;

const folder = process.env.OXBOW_CLIENTS;

/** Returns a function that loads installed packages; undefined if one of them is not there. */
export function requireInstalled(packages: readonly string[]): NodeJS.Require | undefined {
  if (folder === undefined) return undefined;
  const isThere = (name: string) => existsSync(join(folder, 'node_modules', name, 'package.json'));
  return packages.every(isThere) ? createRequire(join(folder, 'package.json')) : undefined;
}
