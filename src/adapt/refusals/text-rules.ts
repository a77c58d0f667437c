import type { RequestCompat, SchemaLimit } from '../../base/wire.ts';
import { historyOf, isSystem } from '../history.ts';
import { isForced } from '../steps/parameters.ts';
import type { Lesson, RefusalRule, RefusedRequest } from './rule.ts';

/** Rules that match a phrase of the refusal. */
export const TEXT_RULES: readonly RefusalRule[] = [
  says([/tool call id .{0,200}length of 9/is, /tool call ids? .{0,80}9 characters/is], () => ({
    patch: { callIds: 'nine' },
    reason: 'The server takes only ids of calls with nine letters and digits: such ids are sent.',
  })),
  says(
    [
      /unknown variant [`'"]developer/i,
      /unexpected message role/i,
      /(?:invalid|unsupported|unknown|unexpected) (?:value|role).{0,12}developer/i,
      /developer[`'"]?(?: role)?(?: is)? (?:not|unsupported|invalid)/i,
      /does not support (?:the )?[`'"]?developer/i,
      // A list of the known roles, without this one.
      /input should be '(?:system|user|assistant)'(?!.{0,120}developer)/i,
    ],
    () => ({
      patch: { developerRole: 'system' },
      reason: 'The server does not know the role "developer": it is sent as "system".',
    }),
  ),
  says(
    [
      /system message must (?:be|come) (?:at the beginning|first)/i,
      /system messages? .{0,60}beginning/i,
      /unexpected role .{0,2}system/i,
      /role .{0,2}system.{0,2} is not supported/i,
      /input should be 'user' or 'assistant'/i,
    ],
    () => ({
      patch: { systemMessages: 'one' },
      reason: 'The server takes one system message, at the beginning: further ones are sent as texts of the user.',
    }),
  ),
  says(
    [
      /roles must alternate/i,
      /must alternate between/i,
      /alternating .{0,40}roles/i,
      /unexpected role .?user.? after (?:role )?.?tool/i,
    ],
    alternating,
  ),
  says(
    [
      /must be followed by tool messages/i,
      /did not have response messages/i,
      /insufficient tool messages/i,
      /tool call result does not follow tool call/i,
      /role .?tool.? must be a response to/i,
      /no tool (?:output|call) found for function call/i,
      /not the same number of function calls and responses/i,
      /tool_result.{0,120}(?:immediately after|corresponding)/is,
      /unexpected role .?tool.? after/i,
    ],
    () => ({
      patch: { toolOrder: 'strict' },
      reason: 'The server takes results only right behind their calls: calls and results are put in order.',
    }),
  ),
  says([/requires --enable-auto-tool-choice/i], () => ({
    patch: { toolChoice: 'omit' },
    reason: 'The server does not let the model choose tools when it is asked to: tool_choice is left out.',
  })),
  says(
    [
      /tool_choice.{0,80}thinking/is,
      /thinking.{0,60}tool_choice/is,
      /tool_choice.{0,60}only.{0,30}auto/is,
      /only.{0,30}auto.{0,60}tool_choice/is,
      /tool[_ ]choice.{0,40}(?:not supported|unsupported|does not support)/is,
    ],
    freeChoice,
  ),
  says(
    [
      /image.{0,60}only allowed for messages with role .?user/is,
      /output of tool call should be/i,
      /image.{0,80}not (?:supported|allowed).{0,40}(?:role )?.?tool/is,
      /tool.{0,40}(?:message|role|result).{0,60}(?:image|only (?:support|contain)s? text)/is,
    ],
    () => ({
      patch: { toolImages: 'user' },
      reason: 'The server takes images only from users: those of tool results are sent in a message of the user.',
    }),
  ),
  says(
    [
      /flavored json schema/i,
      /type should be defined in anyof items/i,
      /does not support oneof, allof,? or anyof at the top level/i,
    ],
    ({ compat }) => ({
      patch: withLimit(compat, 'typed_branches'),
      reason: 'The server does not accept schemas with a type next to branches: the type is sent inside the branches.',
    }),
  ),
  says([/top_p.{0,40}cannot both be (?:specified|set)/is], ({ compat }) => ({
    patch: { dropFields: [...new Set([...compat.dropFields, 'top_p'])] },
    reason: 'The server does not take top_p next to a temperature: top_p is left out.',
  })),
  says([/output_config\.effort.{0,80}input should be/is, /effort level.{0,80}supported/is], ({ compat }) => ({
    patch: { dropFields: [...new Set([...compat.dropFields, 'output_config.effort'])] },
    reason: 'The server does not know this effort: the effort is left to the model.',
  })),
  says(
    [/failed to parse grammar/i, /pattern must start with/i, /failed to (?:compile|convert) .{0,40}pattern/i],
    ({ compat }) => ({
      patch: withLimit(compat, 'no_patterns'),
      reason: 'The server cannot read the patterns in schemas: patterns and formats are left out.',
    }),
  ),
  says(
    [
      /(?:function|tool|toolspec)[ ._]?name.{0,160}(?:pattern|must be a-z|maximum length|too long|regular expression)/is,
      /invalid .{0,80}\.name.{0,80}(?:pattern|too long)/is,
      /\.name: string should (?:match pattern|have at most)/i,
      /invalid function name/i,
    ],
    () => ({
      patch: { toolNames: 'plain' },
      reason: 'The server refuses the name of a tool: names are sent in letters, digits, underscores and dashes.',
    }),
  ),
  says([/does not support thinking/i, /invalid think value/i], thoughtless),
  says([/parallel (?:tool|function)[ -]?calls?.{0,60}(?:not supported|unsupported|disabled)/is], () => ({
    patch: { parallelToolCalls: false },
    reason: 'The server does not take several calls at once: they are not asked for.',
  })),
];

function says(patterns: readonly RegExp[], lesson: (request: RefusedRequest) => Lesson | undefined): RefusalRule {
  return (request) => (patterns.some((pattern) => pattern.test(request.refusal.text)) ? lesson(request) : undefined);
}

/** Returns the lesson of alternating roles. A late system message also breaks the alternation, so it is changed too. */
function alternating({ rules, sent }: RefusedRequest): Lesson {
  const isLate = historyOf(rules, sent)
    .slice(1)
    .some((entry) => isSystem(rules.messageOf(entry)));
  return {
    patch: { alternateRoles: true, ...(isLate && { systemMessages: 'one' }) },
    reason: 'The server takes only messages of alternating roles: those of one role in a row are merged.',
  };
}

function freeChoice({ sent }: RefusedRequest): Lesson {
  if (isForced(sent.tool_choice)) {
    return {
      patch: { toolChoice: 'auto' },
      reason: 'The server does not let a tool be forced: the choice is left to the model.',
    };
  }
  return { patch: { toolChoice: 'omit' }, reason: 'The server does not take tool_choice: it is left out.' };
}

function thoughtless({ rules: { effort }, compat: { dropFields } }: RefusedRequest): Lesson | undefined {
  if (effort === undefined) return undefined;
  return {
    patch: { dropFields: [...new Set([...dropFields, effort])] },
    reason: `The server does not take ${effort} for this model: it is left out.`,
  };
}

/** Returns the limits of schemas with one more. */
export function withLimit({ schemas }: RequestCompat, limit: SchemaLimit): Pick<RequestCompat, 'schemas'> {
  return { schemas: [...new Set([...schemas, limit])] };
}
