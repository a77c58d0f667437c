import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const markdown = {
  name: 'markdown-as-text',
  transform(_code: string, id: string) {
    return id.endsWith('.md') ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : undefined;
  },
};

/** Retries an assertion for longer than the busiest machine should need, and not for a second. */
const PATIENT = { poll: { timeout: 20_000 } };

const project = (name: string, include: string[], more = {}) => ({
  plugins: [markdown],
  define: { OXBOW_VERSION: JSON.stringify(JSON.parse(readFileSync('package.json', 'utf8')).version) },
  test: { name, include, pool: 'forks' as const, isolate: false, testTimeout: 30_000, expect: PATIENT, ...more },
});

/**
 * Runs of every test have one project for all of them: each project loads the sources again in each of its workers. It
 * has the time that the longest tests need.
 */
const isLong = process.env.OXBOW_TEST_LONG === '1';
const ALL = [project('all', ['src/**/*.test.ts', 'test/**/*.test.ts'], { testTimeout: 400_000 })];
const LONG = ['test/*/**/*.long.test.ts'];
const QUICK = [
  project('architecture', ['test/architecture.test.ts']),
  project('unit', ['src/**/*.test.ts']),
  project('end-to-end', ['test/*/**/*.test.ts'], { testTimeout: 120_000, exclude: LONG }),
];

export default defineConfig({
  test: {
    // The default is one less, which is one where there are two cores, and much of a test is waiting for processes.
    maxWorkers: '100%',
    reporters: ['default', './test/harness/summary-reporter.ts'],
    projects: isLong ? ALL : QUICK,
  },
});
