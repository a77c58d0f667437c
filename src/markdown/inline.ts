import type { Token, Tokens } from 'marked';
import { PLAIN, type Span, type SpanStyle, span } from '../text/span.ts';
import { visible } from '../text/visible.ts';
import { decodeEntities } from './decode-entities.ts';

/** Abilities of the terminal that the text is rendered for. */
export interface MarkdownLook {
  /** Whether there are attributes such as bold. Without them the marks of the source stay: `**bold**`. */
  readonly attributes: boolean;
  /** Whether every link can be opened by its text. Otherwise the address stands after the text. */
  readonly links: boolean;
}

/** Returns the spans of the text inside a block. */
export function inlineSpans(tokens: readonly Token[], look: MarkdownLook, style: SpanStyle = PLAIN): Span[] {
  return tokens.flatMap((token) => tokenSpans(token as InlineToken, look, style));
}

/** Returns a text on one line, safe for a terminal. */
const shownText = (text: string): string => visible(text.replace(/\r\n?|[\n\t]/g, ' '));

type InlineToken =
  | Tokens.Text
  | Tokens.Escape
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Br
  | Tokens.Link
  | Tokens.Image
  | Tokens.HTML
  | Tokens.Checkbox;

function tokenSpans(token: InlineToken, look: MarkdownLook, style: SpanStyle): Span[] {
  switch (token.type) {
    case 'text':
      return token.tokens
        ? inlineSpans(token.tokens, look, style)
        : [span(shownText(decodeEntities(token.text)), style)];
    case 'strong':
      return marked('**', token.tokens, look, { ...style, bold: true });
    case 'em':
      return marked('*', token.tokens, look, { ...style, italic: true });
    case 'del':
      return marked('~~', token.tokens, look, { ...style, strike: true });
    case 'codespan':
      return codeSpans(token.text, look, style);
    case 'br':
      return [span('\n', style)];
    case 'link':
      return linkSpans(token, look, style);
    case 'image':
      return imageSpans(token, style);
    case 'checkbox':
      return [span(token.checked ? '[x] ' : '[ ] ', style)];
    case 'html':
      return [/^<br\s*\/?>$/i.test(token.raw.trim()) ? span('\n', style) : span(shownText(token.raw), style)];
    default:
      return [span(shownText(token.text), style)];
  }
}

function marked(mark: string, tokens: readonly Token[], look: MarkdownLook, style: SpanStyle): Span[] {
  const inner = inlineSpans(tokens, look, style);
  return look.attributes ? inner : [span(mark, style), ...inner, span(mark, style)];
}

function codeSpans(code: string, { attributes }: MarkdownLook, style: SpanStyle): Span[] {
  const text = shownText(code);
  return [attributes ? span(text, { ...style, color: 'code' }) : span(`\`${text}\``, style)];
}

/** Addresses that may be opened with a click. Other schemes could start programs. */
const OPENED = /^(?:https?:\/\/|mailto:)/i;
const LONGEST_ADDRESS = 2000;

function linkSpans({ href, tokens }: Tokens.Link, look: MarkdownLook, style: SpanStyle): Span[] {
  const canOpen = OPENED.test(href) && href.length <= LONGEST_ADDRESS;
  const inner = inlineSpans(tokens, look, style);
  const text = inner.map((part) => part.text).join('');
  const address = shownText(href);
  const shown = inner.map((part) => span(part.text, linkStyle(part.style, canOpen ? href : undefined)));
  const isSame = text === address || `mailto:${text}` === address || `http://${text}` === address;
  // A text that looks like an address must not hide another one.
  const isHidden =
    look.links && canOpen && !/^\s*(?:[a-z][a-z0-9+.-]*:|www\.)|^\s*[\w-]+(?:\.[\w-]+)+(?:\/|\s*$)/i.test(text);
  if (isSame || isHidden || address === '') return shown;
  return [...shown, span(text === '' ? address : ` (${address})`, { ...style, color: 'muted' })];
}

const linkStyle = (style: SpanStyle, link: string | undefined): SpanStyle => ({
  ...style,
  underline: true,
  color: 'link',
  ...(link === undefined ? {} : { link }),
});

function imageSpans({ href, text }: Tokens.Image, style: SpanStyle): Span[] {
  const name = text.trim() === '' ? 'image' : shownText(decodeEntities(text));
  return [span(name, { ...style, italic: true }), span(` (${shownText(href)})`, { ...style, color: 'muted' })];
}
