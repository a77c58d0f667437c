import { opens } from '../effect.ts';
import { keyQuestions } from '../first-questions.ts';
import { told } from './notice.ts';
import type { SlashCommand } from './slash-command.ts';

/** Sets up the first run: a sign-in, a key, a server on this machine, or the demo. */
export const firstRun: SlashCommand = {
  choose: (model, { value }) => opens(model, 'first-run', { what: value, value: '' }),
  async perform({ agent, runSelf, open }, { what }) {
    const [kind = '', provider = '', name = ''] = what.split(' ');
    if (kind === 'server')
      return [
        { type: 'settings', settings: { provider, model: name }, overrides: { provider, model: name } },
        told(`From now on: ${name} of ${provider}. To keep it: oxbow config set model_provider ${provider}`),
      ];
    const code = await runSelf(COMMANDS[kind] ?? ['demo']);
    if (kind === 'demo') return keyQuestions(agent);
    if (code !== 0) return [told('You are not signed in. /quit leaves; oxbow login tries again.', 'warning')];
    await open({ type: 'again' });
    return [];
  },
};

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  login: ['login'],
  key: ['login', '--with-api-key'],
  demo: ['demo'],
};
