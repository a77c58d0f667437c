import { type Check, failure, note, ok } from '../check.ts';
import { message, type ProbeQuestion, TOOLS } from '../question.ts';
import { askWithoutRefusedFields } from '../refused-fields.ts';

/** Sends every parameter that the agent or a client of a gateway may send. */
export const parameters: Check = {
  id: 'parameters',
  asks: 1,
  async run(run) {
    const before = run.compat;
    const failed = failure(await askWithoutRefusedFields(run, QUESTION));
    if (failed !== undefined) return failed;
    if (run.compat === before) return ok('all accepted');
    const { dropFields, maxTokens } = run.compat;
    const dropped = dropFields.filter((path) => !before.dropFields.includes(path));
    return note(
      [...dropped.map((path) => `not ${path}`), ...(maxTokens === before.maxTokens ? [] : [maxTokens])].join(', ') ||
        'with settings',
    );
  },
};

const QUESTION: ProbeQuestion = {
  input: [message('user', 'Say the word pong.')],
  tools: TOOLS,
  reasoning: { effort: 'low', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  cacheKey: 'oxbow-probe',
  text: { verbosity: 'low' },
  sampling: { temperature: 0.7, topP: 0.9, seed: 7, stop: ['#stop-1', '#stop-2'] },
};
