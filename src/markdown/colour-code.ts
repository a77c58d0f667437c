import { type ColorRole, type Span, span } from '../text/span.ts';
import { type CodeLanguage, LANGUAGES } from './code-languages.ts';

/** State between two lines of code: the mark that ends a comment or a text over several lines. */
export interface CodeState {
  readonly until: string;
  readonly role: ColorRole;
}

export const START: CodeState = { until: '', role: 'string' };

/** A longer line is data rather than code. */
const LONGEST_LINE = 2000;

/** Returns the language of a fence by the first word after it. Undefined if the language is not known. */
export function languageOf(info: string | undefined): CodeLanguage | undefined {
  const [name = ''] = /^[\w+#-]*/.exec((info ?? '').trim().toLowerCase()) ?? [];
  return LANGUAGES.get(name);
}

/** Returns a line of code in colours, and the state that the next line begins with. */
export function colourLine(
  line: string,
  language: CodeLanguage | undefined,
  before: CodeState,
): { readonly spans: Span[]; readonly state: CodeState } {
  if (line === '') return { spans: [], state: before };
  if (language === undefined || line.length > LONGEST_LINE) return { spans: [span(line)], state: before };
  if (language.wholeLine) return { spans: [painted(line, language.wholeLine(line))], state: START };
  const spans: Span[] = [];
  let plain = '';
  let state = before;
  let at = 0;
  const add = (text: string, role: ColorRole | undefined) => {
    if (role === undefined) {
      plain += text;
      return;
    }
    if (plain !== '') spans.push(span(plain));
    plain = '';
    spans.push(painted(text, role));
  };
  while (at < line.length) {
    const found = state.until === '' ? tokenEnd(line, at, language) : closingEnd(line, at, state.until);
    const end = found > 0 ? found : at + 1;
    const text = line.slice(at, end);
    at = end;
    if (state.until !== '') {
      add(text, state.role);
      if (text.endsWith(state.until)) state = START;
    } else {
      const opened = language.opens.find(({ open }) => open === text);
      add(text, opened?.role ?? (found > 0 ? roleOf(text, language) : undefined));
      if (opened) state = { until: opened.close, role: opened.role };
    }
  }
  if (plain !== '') spans.push(span(plain));
  return { spans, state };
}

const painted = (text: string, color: ColorRole | undefined): Span => (color ? span(text, { color }) : span(text));

/** Returns the end of the token at a place. Zero if no token begins there. */
function tokenEnd(line: string, at: number, { tokens }: CodeLanguage): number {
  tokens.lastIndex = at;
  return tokens.test(line) ? tokens.lastIndex : 0;
}

/** Returns the end of the first closing mark without a backslash before it, or the end of the line. */
function closingEnd(line: string, at: number, mark: string): number {
  let found = line.indexOf(mark, at);
  while (found > at && line[found - 1] === '\\') found = line.indexOf(mark, found + 1);
  return found === -1 ? line.length : found + mark.length;
}

function roleOf(token: string, { comment, keywords, ignoresCase, hasTypes }: CodeLanguage): ColorRole | undefined {
  const [first = ''] = token;
  if (comment?.test(token)) return 'comment';
  if (token.length > 1 && (first === '"' || first === "'" || first === '`')) return 'string';
  if (first >= '0' && first <= '9') return 'number';
  if (keywords.has(ignoresCase ? token.toLowerCase() : token)) return 'keyword';
  if (/^<\/?[\w:-]/.test(token)) return 'keyword';
  return hasTypes && /^[A-Z]\w*[a-z]/.test(token) ? 'type' : undefined;
}
