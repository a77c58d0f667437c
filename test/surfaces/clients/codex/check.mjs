import { checkProgram } from '../programs/check.mjs';
import { KINDS, NARROW } from '../programs/kinds.mjs';
import { judgeRoom, judgeTask } from './judge.mjs';
import { openCodexScene } from './scene.mjs';

const HELP = `Usage: node test/surfaces/clients/codex/check.mjs [--verbose]

Runs the real Codex against the gateway in front of servers of other protocols that each get something wrong: it has to
run a command, apply a patch and call a tool of an MCP server. OXBOW_CODEX names its program; without it, codex is taken
from PATH. Where there is none, the check is skipped. Everything happens in temporary folders.

  --verbose   What Codex and the gateway printed, too`;

const program = process.env.OXBOW_CODEX || 'codex';

if (process.argv.includes('--help')) console.log(HELP);
else process.exitCode = await checkCodex();

function checkCodex() {
  const cases = [
    ...KINDS.map((kind) => ({ title: `${kind.wire}: ${kind.name}`, run: () => inScene(kind, doTask) })),
    { title: `${NARROW.wire}: ${NARROW.name}`, run: () => inScene(NARROW, makeRoom) },
  ];
  const isVerbose = process.argv.includes('--verbose');
  return checkProgram({ name: 'Codex', program, variable: 'OXBOW_CODEX', cases, isVerbose });
}

async function inScene(kind, check) {
  const scene = await openCodexScene(program, kind);
  try {
    return await check(scene, kind);
  } finally {
    await scene.close();
  }
}

async function doTask(scene, kind) {
  const run = await scene.runCodex(['Do the task.']);
  const printed = `${run.stdout}${run.stderr}${JSON.stringify(scene.gateway.exchanges(), null, 1)}`;
  return { faults: judgeTask(kind, { ...scene, run }), printed };
}

async function makeRoom({ runCodex, server, gateway }) {
  const first = await runCodex(['Say something.']);
  const second = await runCodex(['resume', '--last', 'Again.']);
  const faults = judgeRoom({ first, second, exchanges: server.exchanges });
  return { faults, printed: `${first.stdout}${second.stdout}${JSON.stringify(gateway.exchanges(), null, 1)}` };
}
