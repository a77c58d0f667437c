import { execFileSync } from 'node:child_process';

/**
 * Runs cases with the real program of other people, and prints a line for each with its faults. Returns the exit code
 * of the check. Without the program, the check is skipped.
 */
export async function checkProgram({ name, program, variable, cases, isVerbose }) {
  const version = versionOf(program);
  if (version === undefined) {
    console.log(`skipped: there is no ${program} that could be started. Set ${variable} to the program of ${name}.`);
    return 0;
  }
  console.log(version);
  let failed = 0;
  for (const { title, run } of cases) {
    const { faults, printed } = await run();
    console.log(`${faults.length === 0 ? 'passed' : 'failed'}  ${title}`);
    for (const fault of faults) console.log(`        ${fault}`);
    if (isVerbose) console.log(printed);
    if (faults.length > 0) failed++;
  }
  return failed === 0 ? 0 : 1;
}

function versionOf(program) {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
