// Reasons for the differences. A difference belongs to the first entry that fits: all its patterns must fit the name of
// the scenario, the place and the two values. A difference without an entry makes the script fail.

export const REASONS = [
  {
    why: 'Codex ends with 1 where `--worktree` stands with `resume` or with a review of uncommitted changes. Here the thread of your folder goes on in the worktree, and such a review, which would find no changes there, is wrong usage.',
    scenario: /^exec (resume|review) .*--worktree/,
    place: /exit code/,
  },
  {
    why: 'Commands run with `-c` in the environment of the login shell, which is captured once per thread: a profile can cost 200 ms each time.',
    place: /command_execution item\.command$/,
  },
  {
    why: 'A command that is killed at the end of the turn or by a signal is reported as ended, so that each item that started is completed.',
    scenario: /outlives the turn|^SIG/,
    place: /^event item\.completed command_execution/,
  },
  {
    why: 'A command or a patch that the sandbox or the policy stopped has an item, so that readers see that the model tried.',
    scenario: /may not write|leave the sandbox|sandbox refuses/,
    place: /^event item\.(started|completed) (command_execution|file_change)/,
  },
  {
    why: 'Broken arguments are [repaired](repairs.md) where that is possible, and the call runs. `repairs` in the last event names the repair.',
    scenario: /^arguments (that are not JSON|of a wrong type)/,
    place: /command_execution|repairs$/,
  },
  {
    why: 'Arguments that end too early mean that the server cut off its answer: the call is not run, and the turn fails as for an answer that reached its limit.',
    scenario: /^arguments that end too early/,
  },
  {
    why: '`update_plan` is on by default, so that users see where a turn stands. In Codex 0.166 it is off by default.',
    scenario: /^a plan$/,
    place: /todo_list/,
  },
  {
    why: 'A file that cannot be sent as an image is also named in a warning.',
    scenario: /not an image/,
    place: /^event item\.completed error/,
  },
  {
    why: 'An item that Codex does not report comes first, and items are numbered in their order.',
    place: /agent_message item\.id$/,
  },
  {
    why: 'Codex prints the key `id` twice, first with the number of the item and then with the id of the server. Readers of JSON see the second.',
    place: /web_search item\.id$/,
  },
  {
    why: '`repairs` is a key of our own. It names a frame that broke off.',
    place: /repairs$/,
  },
  {
    why: 'The title of a page says more than its HTML.',
    scenario: /page of a proxy/,
    place: /message$/,
  },
  {
    why: 'The message has the words of the server about the error, which Codex drops.',
    scenario: /error frame/,
    place: /message$/,
  },
  {
    why: 'The time is written the same way in all places.',
    scenario: /usage limit/,
    place: /message$/,
  },
  {
    why: 'Codex waits without end for a server that cannot be reached. A wrong address must not hang a CI job.',
    scenario: /^no server$/,
  },
  {
    why: 'Texts for the model are our own.',
    scenario: /compaction|review/,
    place: /^request typed$/,
  },
  {
    why: 'Our own words for a file that cannot be read.',
    scenario: /nowhere\.png/,
    place: /^request typed$/,
  },
  {
    why: 'Without a setting no effort is sent, and the server uses its default. Codex sends the default of its catalogue.',
    place: /^request effort$/,
  },
  {
    why: '`model:` also names the provider. Summaries are not in the header, and models that are not in the catalogue of Codex cause no warning.',
    place: /^labels$/,
  },
  {
    why: 'A profile that does not exist is an error, since the run would use other settings than those that were asked for.',
    scenario: /-p nowhere/,
  },
  {
    why: 'A path that cannot be written to ends the run before the first request, and not after the work.',
    scenario: /output-last-message nowhere/,
  },
  {
    why: 'The prompt after images is not taken for an image.',
    scenario: /-i a\.png,b\.png hello/,
  },
  {
    why: 'A thread that does not exist is an error. Codex starts a new one, which goes on without the history.',
    scenario: /resume no-such-thread|\(no thread\)/,
  },
  {
    why: 'A missing thread is wrong usage.',
    scenario: /^exec resume$/,
  },
  {
    why: '`review` alone reviews the uncommitted changes.',
    scenario: /^exec review( --json)?$/,
    place: /^(exit code|stderr)$/,
  },
  {
    why: 'The tokens of a review are counted. Codex reports none.',
    scenario: /review/,
    place: /^turn\.completed usage\./,
  },
  {
    why: 'A schema also applies to the answer of a review.',
    scenario: /review .*--output-schema/,
    place: /^request format$/,
  },
  {
    why: 'The option is accepted and has no effect, so it does no harm to a review.',
    scenario: /review .*--cyber-access-program/,
    place: /^(exit code|stderr)$/,
  },
  {
    why: 'A feature that is unknown here may be one of a later Codex: a warning names it.',
    scenario: /--enable no_such_feature/,
  },
  {
    why: 'A value that an option does not have is wrong usage.',
    scenario: /--local-provider nobody/,
  },
  {
    why: 'A flag without a value may be repeated.',
    scenario: /--json --json/,
  },
  {
    why: 'Not supported yet: these flags are unknown, and the value of `--cyber-access-program` is not checked.',
    scenario:
      /--(strict-config|ignore-user-config|approve-for-me|dangerously-bypass-hook-trust|cyber-access-program other)( |$)/,
    place: /^(exit code|stderr)$/,
  },
  {
    why: 'The help does not show flags that are not supported yet, nor flags that are accepted without an effect.',
    place: /^help$/,
  },
  {
    why: 'Mistakes are reported in our own words, with the same exit code.',
    place: /^stderr$/,
    kind: 'flags',
  },
];

/** Returns the index of the reason for a difference; -1 without one. */
export function reasonOf({ place, codex = '', oxbow = '' }, { name, kind }) {
  return REASONS.findIndex(
    (reason) =>
      (reason.kind === undefined || reason.kind === kind) &&
      (reason.scenario === undefined || reason.scenario.test(name)) &&
      (reason.place === undefined || reason.place.test(place)) &&
      (reason.codex === undefined || reason.codex.test(codex)) &&
      (reason.oxbow === undefined || reason.oxbow.test(oxbow)),
  );
}
