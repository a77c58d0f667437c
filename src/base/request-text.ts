/** The JSON text of a request's body, in an order in which consecutive requests differ late. */
export interface RequestText {
  /**
   * Pieces of it, up to the end of the history. A thread's next request has the same ones and more, the very same strings, as long
   * as nothing of its past changes.
   */
  readonly growing: readonly string[];
  readonly rest: string;
}

export function wholeText({ growing, rest }: RequestText): string {
  return growing.join('') + rest;
}

/** Fields of an object in their order, one of which is the growing list; `undefined` for those that are not sent. */
export type RequestFields = readonly (readonly [name: string, text: string | readonly string[] | undefined])[];

export function requestText(fields: RequestFields): RequestText {
  const growing: string[] = [];
  let text = '{';
  for (const [name, value] of fields) {
    if (value === undefined) continue;
    text += `${text === '{' && growing.length === 0 ? '' : ','}"${name}":`;
    if (typeof value === 'string') {
      text += value;
      continue;
    }
    growing.push(`${text}[`);
    for (const [index, piece] of value.entries()) {
      if (index > 0) growing.push(',');
      growing.push(piece);
    }
    text = ']';
  }
  return { growing, rest: `${text}}` };
}
