import { execFileSync } from 'node:child_process';
import { judgeRoom, judgeTask } from './judge.mjs';
import { KINDS, NARROW } from './kinds.mjs';
import { openScene } from './scene.mjs';

const HELP = `Usage: node test/surfaces/clients/codex/check.mjs [--verbose]

Runs the real Codex against the gateway in front of chat-only servers that each get something wrong: it has to run a
command, apply a patch and call a tool of an MCP server. OXBOW_CODEX names its program; without it, codex is taken from
PATH. Where there is none, the check is skipped. Everything happens in temporary folders.

  --verbose   What Codex and the gateway printed, too`;

const isVerbose = process.argv.includes('--verbose');

if (process.argv.includes('--help')) console.log(HELP);
else process.exitCode = await checkAll(process.env.OXBOW_CODEX || 'codex');

async function checkAll(codex) {
  const version = versionOf(codex);
  if (version === undefined) {
    console.log(`skipped: there is no ${codex} that could be started. Set OXBOW_CODEX to the program of Codex.`);
    return 0;
  }
  console.log(version);
  let failed = 0;
  for (const [kind, check] of [...KINDS.map((kind) => [kind, doTask]), [NARROW, makeRoom]]) {
    const { faults, printed } = await inScene(codex, kind, check);
    console.log(`${faults.length === 0 ? 'passed' : 'failed'}  ${kind.name}`);
    for (const fault of faults) console.log(`        ${fault}`);
    if (isVerbose) console.log(printed);
    if (faults.length > 0) failed++;
  }
  return failed === 0 ? 0 : 1;
}

function versionOf(codex) {
  try {
    return execFileSync(codex, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

async function inScene(codex, kind, check) {
  const scene = await openScene(codex, kind);
  try {
    return await check(scene, kind);
  } finally {
    await scene.close();
  }
}

async function doTask({ runCodex, server, gateway, file }, kind) {
  const run = await runCodex(['Do the task.']);
  const faults = judgeTask(kind, { run, exchanges: server.exchanges, told: gateway.exchanges(), file });
  return { faults, printed: `${run.stdout}${run.stderr}${JSON.stringify(gateway.exchanges(), null, 1)}` };
}

async function makeRoom({ runCodex, server, gateway }) {
  const first = await runCodex(['Say something.']);
  const second = await runCodex(['resume', '--last', 'Again.']);
  const faults = judgeRoom({ first, second, exchanges: server.exchanges });
  return { faults, printed: `${first.stdout}${second.stdout}${JSON.stringify(gateway.exchanges(), null, 1)}` };
}
