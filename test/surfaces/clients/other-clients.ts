import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { call, createWorkspace, reply, type ScriptedAnswer, say } from '../../../src/testing/index.ts';
import { startProgram } from '../../harness/start-program.ts';
import type { OneWireModel } from './one-wire-model.ts';
import { openaiScene } from './openai-scene.ts';

/**
 * Tests the clients of other people that are installed in a folder: `npm install --prefix FOLDER
 * @mariozechner/pi-coding-agent ai @ai-sdk/openai`. A client that is not there is not tested.
 */
export function testClientsIn(folder: string): void {
  const pi = join(folder, 'node_modules/.bin/pi');
  if (existsSync(pi)) testPi(pi);
  const ai = join(folder, 'node_modules/ai/package.json');
  if (existsSync(ai)) testAiSdk(ai);
}

const TALK = ['The first answer.', 'The second answer.', 'The third answer.'];

/** Returns the text of the messages of a role in the latest request. */
function lastRequest({ requests }: OneWireModel, role: string): readonly string[] {
  const messages = requests.at(-1)?.body.messages as { role: string; content: unknown }[];
  return messages.filter((message) => message.role === role).map(({ content }) => JSON.stringify(content));
}

function testPi(program: string): void {
  describe('pi, with the Responses API on a chat server', () => {
    test('runs two parallel calls, each once', async () => {
      const { model, workspace, ask } = await piScene(program, [
        reply(
          say('I look.'),
          call('bash', { command: 'echo one >> ran.txt' }, { callId: 'call_1' }),
          call('bash', { command: 'echo two >> ran.txt' }, { callId: 'call_2' }),
        ),
        reply(say('Both ran.')),
      ]);
      expect(await ask('Run both.')).toBe('Both ran.');
      expect(workspace.read('ran.txt').trim().split('\n').sort()).toEqual(['one', 'two']);
      expect(lastRequest(model, 'tool')).toHaveLength(2);
    });

    test('remembers what the model said', async () => {
      const { model, ask } = await piScene(
        program,
        TALK.map((text) => reply(say(text))),
      );
      for (const [n, text] of TALK.entries()) expect(await ask(...(n > 0 ? ['-c'] : []), `Question ${n}`)).toBe(text);
      expect(lastRequest(model, 'assistant').join()).toContain(TALK[0]);
      expect(lastRequest(model, 'assistant').join()).toContain(TALK[1]);
    });
  });
}

/** Starts pi with the Responses API of a gateway in front of a chat server. */
async function piScene(program: string, answers: readonly ScriptedAnswer[]) {
  const { model, baseURL } = await openaiScene('chat', answers);
  const workspace = createWorkspace();
  onTestFinished(() => workspace.dispose());
  const home = join(workspace.home, 'pi');
  mkdirSync(home, { recursive: true });
  const models = [{ id: 'scripted' }];
  const providers = { here: { baseUrl: baseURL, api: 'openai-responses', apiKey: 'client-key', models } };
  writeFileSync(join(home, 'models.json'), JSON.stringify({ providers }));
  const ask = async (...args: readonly string[]): Promise<string> => {
    const running = await startProgram({
      command: program,
      args: ['--offline', '--provider', 'here', '--model', 'scripted', '-p', ...args],
      cwd: workspace.path,
      env: { PATH: process.env.PATH ?? '', HOME: workspace.home, PI_CODING_AGENT_DIR: home },
    });
    const { code, stdout, stderr } = await running.wait();
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return stdout.trim();
  };
  return { model, workspace, ask };
}

function testAiSdk(place: string): void {
  const installed = createRequire(place);
  const { jsonSchema, stepCountIs, streamText, tool } = installed('ai');
  const { createOpenAI } = installed('@ai-sdk/openai');

  describe('the AI SDK, with the Responses API on a chat server', () => {
    test('runs two parallel calls, each once', async () => {
      const { model, baseURL } = await openaiScene('chat', [
        reply(
          say('I look.'),
          call('run', { cmd: 'one' }, { callId: 'call_1' }),
          call('run', { cmd: 'two' }, { callId: 'call_2' }),
        ),
        reply(say('Both ran.')),
      ]);
      const ran: string[] = [];
      const properties = { cmd: { type: 'string' } };
      const run = tool({
        description: 'Runs a command.',
        inputSchema: jsonSchema({ type: 'object', properties, required: ['cmd'], additionalProperties: false }),
        execute: async ({ cmd }: { readonly cmd: string }) => {
          ran.push(cmd);
          return `${cmd} ran`;
        },
      });
      const result = streamText({
        model: createOpenAI({ apiKey: 'client-key', baseURL }).responses('scripted'),
        prompt: 'Run both.',
        tools: { run },
        stopWhen: stepCountIs(3),
        onError: ({ error }: { readonly error: unknown }) => expect(error).toBeUndefined(),
      });
      expect(await result.text).toBe('Both ran.');
      expect(ran).toEqual(['one', 'two']);
      expect(lastRequest(model, 'tool').join()).toMatch(/one ran.*two ran/);
    });

    test('remembers what the model said', async () => {
      const { model, baseURL } = await openaiScene(
        'chat',
        TALK.map((text) => reply(say(text))),
      );
      const messages: object[] = [];
      for (const [n, text] of TALK.entries()) {
        messages.push({ role: 'user', content: `Question ${n}` });
        const result = streamText({
          model: createOpenAI({ apiKey: 'client-key', baseURL }).responses('scripted'),
          messages,
          onError: ({ error }: { readonly error: unknown }) => expect(error).toBeUndefined(),
        });
        expect(await result.text).toBe(text);
        messages.push(...(await result.response).messages);
      }
      expect(lastRequest(model, 'assistant')).toEqual([JSON.stringify(TALK[0]), JSON.stringify(TALK[1])]);
    });
  });
}
