import type { Agent } from '../app/agent.ts';
import { keySource } from '../app/commands/key-source.ts';
import type { TuiMessage } from './message.ts';

/** Returns the questions of a first run: how to reach a model if there is no key, and whether the folder is trusted. */
export async function firstQuestions({ config, provider }: Agent): Promise<readonly TuiMessage[]> {
  const key = keySource(provider, config);
  if (key.kind === 'missing') {
    const { findUsualServers } = await import('../app/commands/find-local-servers.ts');
    const servers = (await findUsualServers(config)).filter(({ models }) => models !== undefined && models.length > 0);
    return [
      {
        type: 'choose',
        isAsked: true,
        command: 'first-run',
        title: `There is no key for ${provider.name}`,
        rows: [
          { value: 'login', label: 'Sign in with ChatGPT', detail: 'opens your browser' },
          { value: 'key', label: 'Use an API key', detail: `or set ${key.variable} and start again` },
          ...servers.map(({ id, name, models = [] }) => ({
            value: `server ${id} ${models[0] ?? ''}`,
            label: `Use ${name} on this machine`,
            detail: models[0] ?? '',
          })),
          { value: 'demo', label: 'See the demo', detail: 'needs no key and no network' },
        ],
      },
    ];
  }
  const { project, cwd } = config;
  if (project.isDecided || !project.sandboxByTrust || !config.usesHome) return [];
  return [
    {
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
    },
  ];
}
