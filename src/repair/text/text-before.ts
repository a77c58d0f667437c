/** Text before a place, as far as it shows whether a block of calls that begins there is a quotation. */
export class TextBefore {
  /** The last pieces, as a ring: nearly all text only passes, and must cost nothing. */
  readonly #pieces: string[] = [];
  #next = 0;

  add(text: string): void {
    if (text === '') return;
    this.#pieces[this.#next] = text;
    this.#next = this.#next === MOST_READ - 1 ? 0 : this.#next + 1;
  }

  /** Whether the text introduces a quotation. */
  get introduces(): boolean {
    const pieces = [...this.#pieces.slice(this.#next), ...this.#pieces.slice(0, this.#next)];
    return isIntroduced(pieces.join('').slice(-MOST_READ));
  }
}

/** Number of characters that are looked at, and so the most pieces of which they are made. */
const MOST_READ = 512;

/**
 * Reports whether a block of calls that stands after this text is a quotation. Models that leave a call in the text put
 * it at the beginning of the answer, on a line of its own or after a finished sentence.
 */
function isIntroduced(before: string): boolean {
  if (before.trim() === '') return false;
  const start = before.lastIndexOf('\n') + 1;
  const line = before.slice(start);
  if (line.trim() !== '' && !LONE_TAGS.test(line)) return !FINISHED.test(line) || QUOTES.test(line);
  // Text that is quoted in YAML and the like is indented.
  if (line !== line.trimStart()) return true;
  const last = before.trimEnd().split('\n').at(-1) ?? '';
  return HEADING.test(last) || LABEL.test(last) || QUOTES.test(last);
}

const FINISHED = /[.!?…。！？]["'”’)]?[ \t\r]*$/;
/** Some models open a block twice, or close one that they never opened. */
const LONE_TAGS = /^(?:<\/?(?:tool_calls?|function_calls?)>\s*)+$/;
const HEADING = /^ {0,3}#{1,6}[ \t]/;

/** A line that names a speaker or a sample: `Assistant:`, `**Expected output:**`, `Example 2:`. */
const LABEL =
  /^\W*(?:\w+\W+)?(?:assistant|user|human|system|model|tool|output|response|prompt|completion|transcript|example|sample|snippet)(?:\W+\d+)?\W*:\W*$/i;

/** Words with which a model shows a call, or warns of one, and does not make it. */
const QUOTES = new RegExp(
  [
    'for example',
    'for instance',
    'e\\.g\\.',
    'an example',
    'looks? like',
    'such as',
    'would (?:be|look|emit|write|output|print|produce|send|return|generate|read)',
    '(?:emit|write|output|print|produce|generate)s? (?:this|the following|something like|text like)',
    'in (?:the )?\\S+ (?:format|syntax|dialect|notation)',
    '(?:format|syntax) is',
    'injection',
    'inject(?:s|ed)',
    'attack(?:er|s)?',
    'malicious',
    'suspicious',
    'untrusted',
    "(?:do|did|must|should)(?: not|n['’]t) (?:run|execute|follow|obey)",
    'never (?:run|execute|follow|obey)',
    'ignor(?:e|ed|ing)',
    'refus(?:e|ed|ing)',
    'quot(?:e|ed|es|ing)',
    'verbatim',
    'transcript',
  ]
    .map((words) => `\\b${words}(?!\\w)`)
    .join('|'),
  'i',
);
