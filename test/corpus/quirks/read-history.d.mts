export interface SentCall {
  readonly id: string;
  readonly name: string;
  /** A value; a text where they are no JSON. */
  readonly arguments: unknown;
  readonly output: string | undefined;
}

type Body = Readonly<Record<string, unknown>>;

export function callsIn(wire: 'chat' | 'responses', body: Body): SentCall[];
export function spokenIn(wire: 'chat' | 'responses', body: Body): number;
export function toolsIn(body: Body): Set<string>;
