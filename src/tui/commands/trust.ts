import { opens } from '../effect.ts';
import { keyQuestions } from '../first-questions.ts';
import { told } from './notice.ts';
import type { SlashCommand } from './slash-command.ts';

/** Records whether the user trusts the folder, which decides about the sandbox where no setting does. */
export const trust: SlashCommand = {
  choose: (model, { value }) => opens(model, 'trust', { what: value, value: '' }),
  async perform({ agent, env, open }, { what }) {
    if (what === 'later') return keyQuestions(agent);
    const { distrustProject, reviewProject } = await import('../../app/commands/trust-project.ts');
    if (what !== 'yes') {
      distrustProject(agent.config.cwd, env);
      await open({ type: 'again' });
      return [told('Commands may only read here, and you are asked before anything else.')];
    }
    reviewProject(agent.config.cwd, env).accept();
    await open({ type: 'again' });
    return [told('The folder is trusted: commands may change files in it.')];
  },
};
