/** Descriptions of the adaptations, by the ids of docs/wire-quirks.md. */
export const ADAPTATIONS = {
  G1: 'the role developer was sent as system',
  G2: 'messages were merged or sent in another role',
  G3: 'a field was left out',
  G4: 'the token limit was sent under its other name',
  G5: 'a forced choice of a tool was left to the model',
  G6: 'calls and their results were put in order',
  G7: 'the content of a message without text was changed',
  G8: 'images of tool results were moved into a message of the user',
  G9: 'types in schemas were moved into the branches',
  G10: 'schemas were reduced to the basic keywords',
  G11: 'patterns and formats were taken out of schemas',
  G12: 'tools were sent under other names',
  G13: 'the choice of a tool was left out',
  G14: 'stop words were left out',
  G15: 'the depth of thinking was sent in another form',
  G16: 'the token limit was lowered',
} as const;

export type AdaptId = keyof typeof ADAPTATIONS;

/** A change in a request. Both sides are shortened. */
export interface AdaptChange {
  readonly id: AdaptId;
  readonly before: string;
  readonly after: string;
}

/** Receiver of changes. Values that are not texts are written as JSON. */
export type AdaptReport = (id: AdaptId, before: unknown, after: unknown) => void;

/** Creates an empty list of changes and a function that adds to it. */
export function createChangeList(): { readonly changes: readonly AdaptChange[]; readonly report: AdaptReport } {
  const changes: AdaptChange[] = [];
  return {
    changes,
    report: (id, before, after) => changes.push({ id, before: shortened(before), after: shortened(after) }),
  };
}

const MAX_CHARS = 200;

function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : written(value);
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1)}…`;
}

/** Returns a value as JSON; empty for a value that is nested too deeply. */
function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}
