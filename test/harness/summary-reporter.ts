import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * A reporter that prints at the end of a run the slowest files, the skipped tests, the tests that failed once and then
 * passed, and the numbers of passed and failed tests. Under `OXBOW_TEST_ALL=1` a run that skipped a test has failed.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(testModules: readonly TestModule[]): void {
    const tests = testModules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const skipped = tests.filter((test) => test.result().state === 'skipped');
    const failed = tests.filter((test) => test.result().state === 'failed').length + brokenModules(testModules);

    if (testModules.length > SLOWEST) printSlowest(testModules);
    for (const test of skipped) print(`skipped: ${nameOf(test)}`);
    for (const test of tests) if (test.diagnostic()?.flaky) printFlaky(test);
    if (process.env.OXBOW_TEST_ALL === '1' && skipped.length > 0) {
      print(`OXBOW_TEST_ALL=1 allows no skipped test: the run has failed because of ${skipped.length}.`);
      process.exitCode = 1;
    }
    print(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
  }
}

/** The number of slow files that are printed, unless the run has fewer files. */
const SLOWEST = 10;

function printSlowest(testModules: readonly TestModule[]): void {
  const timed = testModules.map((module) => ({ path: module.relativeModuleId, ms: module.diagnostic().duration }));
  const slowest = timed.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  for (const { path, ms } of slowest) print(`slow: ${(ms / 1000).toFixed(1).padStart(5)} s  ${path}`);
}

/** Prints a test that passed on a second try, with the first failure, which is still one to look into. */
function printFlaky(test: TestCase): void {
  print(`passed on a second try: ${nameOf(test)}`);
  for (const { message } of test.result().errors ?? []) print(message.replace(/^/gm, '  '));
}

/**
 * Returns the number of files that failed as a whole: they did not load, or a hook of theirs threw. No test reports
 * that.
 */
function brokenModules(testModules: readonly TestModule[]): number {
  const broken = testModules.filter((module) => !module.ok() && module.children.allTests('failed').next().done);
  return broken.length;
}

function nameOf(test: TestCase): string {
  const result = test.result();
  const reason = result.state === 'skipped' && result.note ? ` (${result.note})` : '';
  return `${test.module.relativeModuleId} > ${test.fullName}${reason}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
