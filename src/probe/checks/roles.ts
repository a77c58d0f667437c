import { editHistory } from '../../adapt/history.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import { editField, mapList } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { type Check, failure, note, ok } from '../check.ts';
import { askTrying } from '../probe-run.ts';
import { message, type ProbeQuestion } from '../question.ts';

/** Sends the role developer, a late message of it, and two messages of the user in a row. */
export const roles: Check = {
  id: 'roles',
  asks: 1,
  async run(run) {
    const before = run.compat;
    const answer = await askTrying(run, QUESTION, [
      {
        compat: { developerRole: 'system' },
        reason: 'The server refuses the role "developer": it is sent as "system".',
      },
      {
        compat: { developerRole: 'system', systemMessages: 'one' },
        reason: 'The server refuses a late system message: it is sent as a text of the user.',
      },
      {
        compat: { developerRole: 'system', systemMessages: 'one', alternateRoles: true },
        reason: 'The server takes only messages of alternating roles: those of one role in a row are merged.',
      },
    ]);
    return (
      failure(answer) ?? (run.compat === before ? ok('developer, late messages, any order') : note('with settings'))
    );
  },
};

const QUESTION: ProbeQuestion = {
  input: [
    message('user', 'Hello.'),
    message('assistant', 'Hello.'),
    message('user', 'I will ask for a word.'),
    message('developer', 'ProbeAnswer in one word.'),
    message('user', 'Say the word pong.'),
  ],
  edit: asDeveloper,
};

/** Names the role as newer clients do, which some wires of ours avoid. */
function asDeveloper(body: Fields, wire: Wire): Fields {
  const rules = wire.edge.adapt;
  if (rules === undefined) return body;
  return editHistory(
    rules,
    body,
    (history) =>
      mapList(history, (entry) =>
        isRecord(entry) ? editField(entry, 'role', (role) => (role === 'system' ? 'developer' : role)) : entry,
      ) as readonly unknown[],
  );
}
