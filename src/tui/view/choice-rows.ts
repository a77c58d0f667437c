import type { Ask } from '../../base/event.ts';
import { markedLine } from '../../text/marked-spans.ts';
import { type Line, type Span, type SpanStyle, span } from '../../text/span.ts';
import { wrapSpans } from '../../text/wrap.ts';
import { signsOf, type ViewOptions } from './view-options.ts';

export interface ChoiceState {
  /** Number of the scope that is chosen with the arrows. Null while the question does not have the keys. */
  readonly chosen: number | null;
  readonly canApprove: boolean;
  /** Whether a part of the action is not shown. */
  readonly isCut: boolean;
}

const MUTED: SpanStyle = { color: 'muted' };
const GO_TO_IT = 'Tab goes to the question';

/** Returns the rows of the answers to a question: the scopes of a yes with their effects, and the keys. */
export function choiceRows(ask: Ask, state: ChoiceState, options: Pick<ViewOptions, 'columns' | 'unicode'>): Line[] {
  const columns = Math.max(1, options.columns);
  if (state.chosen === null) {
    const words = columns < GO_TO_IT.length ? 'Tab: a question' : GO_TO_IT;
    return wrapSpans([span(words, MUTED)], columns);
  }
  const { current } = signsOf(options);
  const scopes = state.canApprove ? ask.scopes : [];
  const rows = scopes.flatMap(({ effect }, index) => {
    const isChosen = index === state.chosen;
    const mark = isChosen ? `${current} ` : ' '.repeat(current.length + 1);
    const indent = [span(mark, { bold: true, color: 'accent' })];
    const text = markedLine(effect, isChosen ? { bold: true } : {});
    return wrapSpans(text, columns, { indent, hanging: mark.length });
  });
  return [...rows, ...wrapSpans(keysOf(ask, state), columns)];
}

function keysOf({ action, scopes }: Ask, { canApprove, isCut }: ChoiceState): Span[] {
  const keys = [
    ...(canApprove ? [['y', 'once'] as const] : []),
    ['n', 'no'] as const,
    ...(action.kind === 'command' ? [['e', 'edit'] as const] : []),
    ['v', isCut ? 'all of it, then a yes is possible' : 'all of it'] as const,
    ...(canApprove && scopes.length > 1 ? [['Enter', 'as chosen'] as const] : []),
    ['Esc', 'back to typing'] as const,
  ];
  return keys.flatMap(([key, words], index) => [
    span(`${index === 0 ? '' : '  '}${key}`, { bold: true }),
    span(` ${words}`, MUTED),
  ]);
}
