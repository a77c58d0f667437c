import OpenAI from 'openai';
import { onTestFinished } from 'vitest';
import { createWorkspace, type ScriptedAnswer } from '../../../src/testing/index.ts';
import { startOxbow } from '../../harness/run-oxbow.ts';
import { type OneWireModel, startOneWireModel, type WireName } from './one-wire-model.ts';

export interface OpenAIScene {
  /** The real package, pointed at a real gateway. */
  readonly client: OpenAI;
  readonly model: OneWireModel;
  /** Address of the gateway, with the path. */
  readonly baseURL: string;
}

export interface OpenAISceneOptions {
  /** More arguments for the gateway. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a server of one wire, the gateway in front of it, which knows only its address, and the client. */
export async function openaiScene(
  server: WireName,
  answers: readonly ScriptedAnswer[],
  { args = [], env = {} }: OpenAISceneOptions = {},
): Promise<OpenAIScene> {
  const model = await startOneWireModel(server, answers);
  const workspace = createWorkspace();
  const gateway = await startOxbow(['gateway', '--upstream', model.url, '--port', '0', '--json', ...args], {
    workspace,
    env,
  });
  onTestFinished(async () => {
    gateway.kill('SIGKILL');
    await gateway.wait();
    workspace.dispose();
  });
  const { base_url: baseURL } = await gateway.waitForEvent(({ type }) => type === 'gateway.started');
  const client = new OpenAI({ apiKey: 'client-key', baseURL: String(baseURL), maxRetries: 0 });
  return { client, model, baseURL: String(baseURL) };
}
