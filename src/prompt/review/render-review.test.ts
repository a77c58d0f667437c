import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { schemaFaults } from '../../base/schema-faults.ts';
import instructions from './instructions.md';
import { jsonObjects } from './json-objects.ts';
import type { Review, ReviewFinding } from './read-review.ts';
import { renderReview } from './render-review.ts';
import { reviewSchema } from './review-schema.ts';

const finding: ReviewFinding = {
  title: '[P1] Close the file',
  body: 'It stays open.\n\nSee `read`.',
  confidence_score: 0.9,
  priority: 1,
  code_location: { absolute_file_path: '/p/a  b.ts', line_range: { start: 3, end: 5 } },
};

const review: Review = {
  findings: [finding],
  overall_correctness: 'patch is incorrect',
  overall_explanation: 'A descriptor leaks.',
  overall_confidence_score: 0.8,
};

describe('the text for people', () => {
  test('of one finding', () => {
    expect(renderReview(JSON.stringify(review)).text).toBe(
      `A descriptor leaks.

Review comment:

- [P1] Close the file — /p/a  b.ts:3-5
  It stays open.

  See \`read\`.`,
    );
  });

  test('of several', () => {
    const other: ReviewFinding = { ...finding, title: '[P2]\nSay\r\nwhy', body: '', code_location: null };
    expect(renderReview(JSON.stringify({ ...review, findings: [finding, other] })).text).toBe(
      `A descriptor leaks.

Full review comments:

- [P1] Close the file — /p/a  b.ts:3-5
  It stays open.

  See \`read\`.

- [P2] Say why`,
    );
  });

  test.each<[string, object, string]>([
    ['no findings', { ...review, findings: [] }, 'A descriptor leaks.'],
    [
      'neither findings nor an explanation',
      { ...review, findings: [], overall_explanation: ' ' },
      'patch is incorrect',
    ],
    ['nothing at all', { findings: [] }, 'The review came back empty.'],
  ])('of a review with %s', (_, answer, text) => {
    expect(renderReview(JSON.stringify(answer)).text).toBe(text);
  });

  test.each([
    ['Looks good to me.', 'Looks good to me.'],
    ['  {"verdict": "good"}\n', '{"verdict": "good"}'],
    ['{"findings": [{"title": "cut o', '{"findings": [{"title": "cut o'],
    [' \n', 'The review came back empty.'],
  ])('of %j, which is not a review', (answer, text) => {
    expect(renderReview(answer)).toEqual({ text, review: null });
  });
});

describe('the review for programs', () => {
  test.each([
    ['bare', (json: string) => json],
    ['in a code fence', (json: string) => `\`\`\`json\n${json}\n\`\`\``],
    ['with text around it', (json: string) => `I ran {all} tests, "twice" ({"ok": true}).\n\n${json}\n\nThat is all.`],
  ])('is the review, %s', (_, wrap) => {
    expect(renderReview(wrap(JSON.stringify(review, null, 2))).review).toEqual(review);
  });

  test('has null where the model left something out or got it wrong', () => {
    const answer = {
      findings: [
        { title: 'A', priority: 7, confidence_score: 'high', code_location: { absolute_file_path: '/a' } },
        { body: 'B', code_location: { absolute_file_path: '/b', line_range: { start: 4 } } },
        { title: ' ', body: '' },
        'C',
        null,
      ],
      overall_correctness: 'fine',
    };
    const { review: read, text } = renderReview(JSON.stringify(answer));
    const nothing = { confidence_score: null, priority: null };
    expect(read).toEqual({
      findings: [
        { ...nothing, title: 'A', body: '', code_location: { absolute_file_path: '/a', line_range: null } },
        {
          ...nothing,
          title: '',
          body: 'B',
          code_location: { absolute_file_path: '/b', line_range: { start: 4, end: 4 } },
        },
      ],
      overall_correctness: null,
      overall_explanation: '',
      overall_confidence_score: null,
    });
    expect(text).toBe('Full review comments:\n\n- A — /a\n\n- Finding — /b:4-4\n  B');
  });
});

test('any text is rendered as some text', () => {
  const keys = fc.constantFrom('findings', 'overall_explanation', 'title', 'body', 'code_location', 'line_range');
  const { nearly } = fc.letrec((tie) => ({
    nearly: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.string(), fc.double(), fc.constant(null)),
      fc.array(tie('nearly'), { maxLength: 3 }),
      fc.dictionary(keys, tie('nearly'), { maxKeys: 4 }),
    ),
  }));
  const answer = fc.oneof(
    fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes)),
    nearly.map((value) => JSON.stringify(value)),
    fc.array(fc.constantFrom('{', '}', '"', '\\', '"findings":', '[', ']', ',', ' ')).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(answer, (text) => {
      expect(renderReview(text).text.trim()).not.toBe('');
    }),
    { numRuns: runs(300) },
  );
});

test('every complete review is read as it was written, and every title is shown', () => {
  const word = fc.stringMatching(/^[a-z]{1,9}$/);
  const line = fc.nat();
  const findings = fc.array(
    fc.record({
      title: word,
      body: fc.string(),
      confidence_score: fc.constantFrom(0, 0.5, 1),
      priority: fc.constantFrom(0, 1, 2, 3),
      code_location: fc.record({
        absolute_file_path: word.map((name) => `/${name}`),
        line_range: fc.record({ start: line, end: line }),
      }),
    }),
  );
  const reviews = fc.record({
    findings,
    overall_correctness: fc.constantFrom('patch is correct', 'patch is incorrect'),
    overall_explanation: fc.string(),
    overall_confidence_score: fc.constantFrom(0, 0.25, 1),
  });
  fc.assert(
    fc.property(reviews, (written) => {
      expect(schemaFaults(reviewSchema, written, { unknown: 'refused' })).toEqual([]);
      const { text, review: read } = renderReview(`Here it is:\n${JSON.stringify(written)}`);
      expect(read).toEqual(written);
      for (const { title } of written.findings) expect(text).toContain(`- ${title} — /`);
    }),
  );
});

test('the example in the instructions has the shape that the schema demands', () => {
  const examples = [...jsonObjects(instructions)].filter((object) => 'findings' in object);
  expect(examples.map((example) => schemaFaults(reviewSchema, example, { unknown: 'refused' }))).toEqual([[]]);
  expect(renderReview(JSON.stringify(examples[0])).review).toEqual(examples[0]);
});

test('the schema is strict: every property is required and no other is allowed', () => {
  const check = (schema: unknown): void => {
    const { properties, required, additionalProperties, items } = schema as Record<string, object | undefined>;
    if (items !== undefined) check(items);
    if (properties === undefined) return;
    expect(required).toEqual(Object.keys(properties));
    expect(additionalProperties).toBe(false);
    for (const property of Object.values(properties)) check(property);
  };
  check(reviewSchema);
  expect(reviewSchema.required).toHaveLength(4);
});
