import { type CodeLocation, type Review, type ReviewFinding, readReview } from './read-review.ts';

export type { Review } from './read-review.ts';

export interface RenderedReview {
  /** Text for people. Never empty. */
  readonly text: string;
  /** Null when the answer is not a review of the requested shape. The text is then the answer as it came. */
  readonly review: Review | null;
}

const EMPTY = 'The review came back empty.';

/** Returns a model's answer to a review as people read it. Never throws. */
export function renderReview(answer: string): RenderedReview {
  const review = readReview(answer);
  if (review === null) return { review, text: answer.trim() || EMPTY };
  const blocks = [review.overall_explanation.trim(), ...renderFindings(review.findings)].filter(
    (block) => block !== '',
  );
  return { review, text: blocks.join('\n\n') || (review.overall_correctness ?? EMPTY) };
}

function renderFindings(findings: readonly ReviewFinding[]): string[] {
  if (findings.length === 0) return [];
  return [findings.length === 1 ? 'Review comment:' : 'Full review comments:', ...findings.map(renderFinding)];
}

function renderFinding({ title, body, code_location: location }: ReviewFinding): string {
  const place = location === null ? '' : ` — ${renderLocation(location)}`;
  const lines = body.trim() === '' ? [] : body.trim().split(/\r\n|\r|\n/);
  return [
    `- ${oneLine(title) || 'Finding'}${place}`,
    ...lines.map((line) => (line.trim() === '' ? '' : `  ${line}`)),
  ].join('\n');
}

function renderLocation({ absolute_file_path: path, line_range: lines }: CodeLocation): string {
  return oneLine(path) + (lines === null ? '' : `:${lines.start}-${lines.end}`);
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').trim();
}
