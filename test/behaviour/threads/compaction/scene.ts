import { expect } from 'vitest';
import type { Item } from '../../../../src/base/item.ts';
import { isSummary } from '../../../../src/base/summary.ts';
import { call, type RecordedRequest, type ReplyOptions, type ScriptedAnswer } from '../../../../src/testing/index.ts';
import type { LibraryScene } from '../../../harness/library-scene.ts';
import { requestFaults } from '../../../harness/request-faults.ts';

/** Returns options of a reply that reports this number of tokens. */
export const counting = (totalTokens: number): ReplyOptions => ({
  usage: { inputTokens: totalTokens - 20, outputTokens: 20 },
});

export const echo = (text: string) => call('exec_command', { cmd: `echo ${text}` });

/** Reports whether a request asks for a summary. */
export function asksForSummary({ body }: RecordedRequest): boolean {
  return textOf(body.input?.at(-1)).startsWith('The history of this thread has become too long');
}

/** Answers requests for a summary one way, all others in their order. */
export function withSummaries(summary: ScriptedAnswer, others: readonly ScriptedAnswer[]) {
  let n = 0;
  return (request: RecordedRequest) => (asksForSummary(request) ? summary : others[n++]);
}

export function textOf(item: Item | undefined): string {
  if (item?.type !== 'message') return '';
  return item.content.map((part) => ('text' in part ? part.text : '')).join('');
}

/** Returns the content of an input, a word for each item. */
export function outline(input: readonly Item[] | undefined): string[] {
  return (input ?? []).map((item) => {
    if (item.type !== 'message') return item.type;
    if (isSummary(item)) return 'summary';
    const text = textOf(item);
    return text.startsWith('<') ? (/^<([a-z]+)/.exec(text)?.[1] ?? '') : `${item.role}: ${text}`;
  });
}

/** Expects that a strict server would accept every request. */
export function expectValidRequests({ model }: Pick<LibraryScene, 'model'>): void {
  for (const [n, { body }] of model.requests.entries()) expect(requestFaults(body), `request ${n + 1}`).toEqual([]);
}
