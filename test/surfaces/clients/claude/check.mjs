import { checkProgram } from '../programs/check.mjs';
import { KINDS } from '../programs/kinds.mjs';
import { FEATURES, judgeFeature } from './features.mjs';
import { judgeTask } from './judge.mjs';
import { openClaudeScene } from './scene.mjs';
import { BEFORE, claudeTask } from './task.mjs';

const HELP = `Usage: node test/surfaces/clients/claude/check.mjs [--verbose]

Runs the real Claude Code against the gateway in front of servers that each get something wrong: it has to read a file,
edit it, run a command and call a tool of an MCP server. OXBOW_CLAUDE names its program; without it, claude is taken
from PATH. Where there is none, the check is skipped. Everything happens in temporary folders.

  --verbose   What Claude Code and the gateway printed, too`;

const program = process.env.OXBOW_CLAUDE || 'claude';

if (process.argv.includes('--help')) console.log(HELP);
else process.exitCode = await checkClaude();

function checkClaude() {
  const cases = [
    ...KINDS.map((kind) => ({ title: `${kind.wire}: ${kind.name}`, run: () => doTask(kind) })),
    ...FEATURES.map((feature) => ({ title: feature.title, run: () => tryFeature(feature) })),
  ];
  const isVerbose = process.argv.includes('--verbose');
  return checkProgram({ name: 'Claude Code', program, variable: 'OXBOW_CLAUDE', cases, isVerbose });
}

function doTask(kind) {
  return inScene({ kind, task: claudeTask, write: BEFORE }, async (scene) => {
    const run = await scene.runClaude(['Do the task.']);
    return { run, faults: judgeTask(kind, { ...scene, run }) };
  });
}

function tryFeature(feature) {
  const { kind = {}, task, write, runs = [['Do it.']], env } = feature;
  return inScene({ kind, task, write }, async (scene) => {
    let run;
    for (const args of runs) run = await scene.runClaude(args, env);
    return { run, faults: judgeFeature(feature, scene, run) };
  });
}

/** Opens a scene with files for a function, and returns the faults that it found and everything that was printed. */
async function inScene({ kind, task = () => undefined, write = {} }, check) {
  const scene = await openClaudeScene(program, kind, task);
  try {
    for (const [name, content] of Object.entries(write)) scene.write(name, content);
    const { run, faults } = await check(scene);
    return { faults, printed: `${run.stdout}${run.stderr}${JSON.stringify(scene.gateway.exchanges(), null, 1)}` };
  } finally {
    await scene.close();
  }
}
