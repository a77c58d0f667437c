/** The JSON text of a request's body. Its order makes consecutive requests differ as late as possible. */
export interface RequestText {
  /** The text up to the history. */
  readonly head: string;
  /**
   * Entries of the history. The next request of the thread has the same string objects and more, unless its past
   * changes.
   */
  readonly entries: readonly string[];
  readonly rest: string;
}

export function wholeText({ head, entries, rest }: RequestText): string {
  return head + entries.join(',') + rest;
}

/** Fields of an object in their order, one of which is the history. A field with `undefined` is not sent. */
export type RequestFields = readonly (readonly [name: string, text: string | readonly string[] | undefined])[];

export function requestText(fields: RequestFields): RequestText {
  let head: string | undefined;
  let entries: readonly string[] = [];
  let text = '{';
  for (const [name, value] of fields) {
    if (value === undefined) continue;
    text += `${text === '{' ? '' : ','}"${name}":`;
    if (typeof value === 'string') text += value;
    else {
      head = `${text}[`;
      entries = value;
      text = ']';
    }
  }
  return { head: head ?? '', entries, rest: `${text}}` };
}
