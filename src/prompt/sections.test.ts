import { expect, test } from 'vitest';
import { environmentContext } from './sections.ts';

test('the environment as the model sees it', () => {
  const surroundings = { cwd: '/a&b/<c>', shell: '/bin/bash', date: '2026-11-16', timezone: 'Asia/Tokyo' };
  expect(environmentContext(surroundings)).toBe(
    `<environment_context>
  <cwd>/a&amp;b/&lt;c&gt;</cwd>
  <shell>bash</shell>
  <current_date>2026-11-16</current_date>
  <timezone>Asia/Tokyo</timezone>
</environment_context>`,
  );
});
