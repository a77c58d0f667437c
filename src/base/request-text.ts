/** The JSON text of a request's body, in an order in which consecutive requests differ late. */
export interface RequestText {
  /** Up to the history. */
  readonly head: string;
  /**
   * The entries of the history. A thread's next request has the same ones and more, the very same strings, as long as nothing of
   * its past changes.
   */
  readonly entries: readonly string[];
  readonly rest: string;
}

export function wholeText({ head, entries, rest }: RequestText): string {
  return head + entries.join(',') + rest;
}

/** Fields of an object in their order, one of which is the history; `undefined` for those that are not sent. */
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
