import type { Agent } from '../app/agent.ts';
import { keySource } from '../app/commands/key-source.ts';
import type { TuiMessage } from './message.ts';

/**
 * Returns the question of a first run: whether the folder is trusted, or else how to reach a model if there is no key. The
 * second one follows the first: the agent is made again after an answer, and asks then.
 */
export async function firstQuestions(agent: Agent): Promise<readonly TuiMessage[]> {
  const { project, usesHome } = agent.config;
  return !project.isDecided && project.sandboxByTrust && usesHome ? [trustQuestion(agent)] : keyQuestions(agent);
}

/** Returns the question how to reach a model, if there is no key. */
export async function keyQuestions(agent: Agent): Promise<readonly TuiMessage[]> {
  const key = keySource(agent.provider, agent.config);
  return key.kind === 'missing' ? [await keyQuestion(agent, key.variable)] : [];
}

function trustQuestion({ config: { project, cwd } }: Agent): TuiMessage {
  return {
    type: 'choose',
    isAsked: true,
    command: 'trust',
    title: `Do you trust ${project.root ?? cwd}?`,
    rows: [
      {
        value: 'yes',
        label: 'Yes',
        detail: 'commands may change files here, and the project may have settings of its own',
      },
      { value: 'no', label: 'No', detail: 'commands may only read; you are asked before anything else' },
    ],
  };
}

async function keyQuestion({ config, provider }: Agent, variable: string): Promise<TuiMessage> {
  const { findUsualServers } = await import('../app/commands/find-local-servers.ts');
  const servers = (await findUsualServers(config)).filter(({ models }) => models !== undefined && models.length > 0);
  return {
    type: 'choose',
    isAsked: true,
    command: 'first-run',
    title: `There is no key for ${provider.name}`,
    rows: [
      { value: 'login', label: 'Sign in with ChatGPT', detail: 'opens your browser' },
      { value: 'key', label: 'Use an API key', detail: `or set ${variable} and start again` },
      ...servers.map(({ id, name, models = [] }) => ({
        value: `server ${id} ${models[0] ?? ''}`,
        label: `Use ${name} on this machine`,
        detail: models[0] ?? '',
      })),
      { value: 'demo', label: 'See the demo', detail: 'needs no key and no network' },
    ],
  };
}
