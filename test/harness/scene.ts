import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { LogLine } from '../../src/base/log.ts';
import {
  createWorkspace,
  type Script,
  type ScriptedModel,
  startScriptedModel,
  type TempWorkspace,
} from '../../src/testing/index.ts';
import { expectReproduced, replayAtEnd } from './replay-rollouts.ts';

export interface Scene {
  readonly model: ScriptedModel;
  readonly workspace: TempWorkspace;
  /** Returns the lines of the one rollout file that the run left. */
  rollout(): LogLine[];
  /** Returns the outputs in the n-th request (from 0), by call id, in their order. */
  outputs(n: number): Map<string, string>;
}

const open: { dispose(): Promise<void> }[] = [];

/** Creates a scripted model and a workspace for one test. At its end the rollouts are replayed and both are removed. */
export async function scene(script: Script, files: Record<string, string> = {}): Promise<Scene> {
  const model = await startScriptedModel(script);
  const workspace = createWorkspace(files);
  replayAtEnd(workspace.home);
  // Not a hook of this module: test files share the module, and the hook would belong to the first file only.
  if (open.length === 0) onTestFinished(endScenes, END_MS);
  open.push({
    async dispose() {
      await model.close();
      workspace.dispose();
    },
  });
  return {
    model,
    workspace,
    rollout: () => readRollout(workspace.home),
    outputs: (n) => outputsOf(model, n),
  };
}

/** A test may have a thousand scenes. */
const END_MS = 60_000;

async function endScenes(): Promise<void> {
  const scenes = open.splice(0);
  try {
    await expectReproduced();
  } finally {
    await Promise.all(scenes.map((one) => one.dispose()));
  }
}

function readRollout(home: string): LogLine[] {
  const sessions = join(home, 'sessions');
  const files = readdirSync(sessions, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  if (files.length !== 1) throw new Error(`expected one rollout file, found ${files.length}`);
  const text = readFileSync(join(sessions, files[0] ?? ''), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine);
}

function outputsOf(model: ScriptedModel, n: number): Map<string, string> {
  const input = model.requests[n]?.body.input ?? [];
  const outputs = new Map<string, string>();
  for (const item of input) {
    if (item.type !== 'function_call_output' && item.type !== 'custom_tool_call_output') continue;
    if (outputs.has(item.call_id)) throw new Error(`the call ${item.call_id} has two outputs`);
    outputs.set(item.call_id, String(item.output));
  }
  return outputs;
}
