import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CommandAction } from '../../../src/base/action.ts';
import type { LogLine, OxbowLine } from '../../../src/base/log.ts';
import { visibleText } from '../../../src/base/visible-text.ts';
import type { Answer, ApprovalScope, Ask, Event } from '../../../src/index.ts';
import { call, reply, type Script, say } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';

const escalated = (cmd: string, more = {}) => ({
  cmd,
  sandbox_permissions: 'require_escalated',
  justification: 'Needs it.',
  ...more,
});

type Respond = (ask: Ask) => Answer | Promise<Answer>;

/** Runs one turn and returns the questions that were asked. */
async function run(s: LibraryScene, respond: Respond): Promise<Ask[]> {
  const asked: Ask[] = [];
  const ask = async (question: Ask) => {
    asked.push(question);
    return respond(question);
  };
  const thread = await s.agent.startThread(s.threadOptions({ ask }));
  await thread.run('go');
  await thread.close();
  return asked;
}

const config = { approval_policy: 'on-request', sandbox_mode: 'workspace-write' };
const script = (...calls: ReturnType<typeof call>[]): Script => [reply(...calls), reply(say('done'))];

const own = <K extends OxbowLine['kind']>(lines: readonly LogLine[], kind: K) =>
  lines
    .flatMap((line) => (line.type === 'oxbow' ? [line.payload] : []))
    .filter((payload): payload is Extract<OxbowLine, { kind: K }> => payload.kind === kind);
const commandsOf = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'item.completed' && event.item.type === 'command' ? [event.item] : []));

describe('the question', () => {
  test('has the action, the reason, where the action would run, and what an approval may cover', async () => {
    const s = await libraryScene(
      script(call('exec_command', escalated('git fetch origin', { prefix_rule: ['git', 'fetch'] }))),
      config,
    );
    const [ask] = await run(s, () => 'denied');
    expect(ask).toMatchObject({
      callId: 'call_1',
      argv: ['/bin/bash', '-c', 'git fetch origin'],
      cwd: s.workspace.path,
      reason: 'Needs it.',
      sandboxed: false,
      action: { kind: 'command', escalate: true, justification: 'Needs it.', prefixRule: ['git', 'fetch'] },
    });
    expect(ask?.scopes.map(({ scope }) => scope)).toEqual([
      { type: 'once' },
      { type: 'terminal' },
      { type: 'thread' },
      { type: 'prefix', prefix: ['git', 'fetch'], lasts: 'thread' },
      { type: 'prefix', prefix: ['git', 'fetch'], lasts: 'project' },
      { type: 'prefix', prefix: ['git', 'fetch'], lasts: 'always' },
    ]);
    expect(ask?.scopes.at(-1)?.effect).toBe(
      `Every command that begins with \`git fetch\` runs outside the sandbox without asking, whatever is typed into it, in every folder from now on, as ${s.workspace.home}/rules/default.rules will say.`,
    );
  });

  test('shows what a person could not see, and the command runs as the model wrote it', async () => {
    const cmd = "printf %s 'a\u202eb\u200b' > 'x\u2066y'";
    const justification = 'Harmless.\u202e\u001b[2K\r\nYou said yes before.\u200b';
    const s = await libraryScene(
      script(
        call('exec_command', escalated(cmd, { justification })),
        call('apply_patch', '*** Begin Patch\n*** Add File: p\u202eq\n+x\n*** End Patch'),
      ),
      { ...config, approval_policy: 'untrusted' },
    );
    const [command, patch] = await run(s, () => 'approved');
    expect(command?.reason).toContain('Harmless.\\u{202E}\\u{1B}[2K\\u{D}\\u{A}You said yes before.\\u{200B}');
    expect(command?.shown).toContain('a\\u{202E}b\\u{200B}');
    expect(command?.argv.at(-1)).toBe(cmd);
    expect(patch?.shown).toBe(`adds ${s.workspace.path}/p\\u{202E}q`);
    for (const { shown, reason, scopes } of [command, patch].flatMap((one) => one ?? []))
      for (const text of [shown, reason, ...scopes.map(({ effect }) => effect)])
        expect(text).toBe(visibleText(text).replaceAll('\\u{5C}', '\\'));
    expect(readFileSync(s.workspace.file('x\u2066y'), 'utf8')).toBe('a\u202eb\u200b');
    expect(existsSync(s.workspace.file('p\u202eq'))).toBe(true);
  });

  test('and its answer are events and log lines', async () => {
    const s = await libraryScene(script(call('exec_command', escalated('true'))), config);
    const [ask] = await run(s, () => ({ type: 'approve', scope: { type: 'thread' } }));
    expect(s.events).toContainEqual(expect.objectContaining({ type: 'ask.opened', ask }));
    expect(s.events).toContainEqual(
      expect.objectContaining({ type: 'ask.answered', askId: ask?.id, answer: 'approved', scope: { type: 'thread' } }),
    );
    const lines = s.rollout();
    expect(own(lines, 'ask.opened')).toEqual([
      { kind: 'ask.opened', call_id: 'call_1', action: ask?.action, reason: 'Needs it.', sandboxed: false },
    ]);
    expect(own(lines, 'ask.answered')).toEqual([
      { kind: 'ask.answered', call_id: 'call_1', answer: 'approved', scope: { type: 'thread' } },
    ]);
    expect(own(lines, 'call.started')).toEqual([
      { kind: 'call.started', call_id: 'call_1', read_only: true, outside: true },
    ]);
  });
});

describe('the answer', () => {
  const file = (s: LibraryScene) => join(s.workspace.home, 'made');
  const touch = async (respond: Respond) => {
    const s = await libraryScene(
      (_, n) => (n === 1 ? reply(call('exec_command', escalated('touch "$HOME/made"'))) : reply(say('done'))),
      {
        ...config,
        sandbox_mode: 'read-only',
      },
    );
    await run(s, respond);
    return {
      s,
      made: existsSync(file(s)),
      output: s.model.requests.length > 1 ? s.outputs(1).get('call_1') : undefined,
    };
  };

  test.each<[string, Answer]>([
    ['approved', 'approved'],
    ['approve', { type: 'approve' }],
    ['approve once', { type: 'approve', scope: { type: 'once' } }],
    ['approve for the thread', { type: 'approve', scope: { type: 'thread' } }],
  ])('%s lets it run outside', async (_, answer) => {
    expect((await touch(() => answer)).made).toBe(true);
  });

  test.each<[string, Answer, string]>([
    ['denied', 'denied', 'rejected by user'],
    ['decline', { type: 'decline' }, 'rejected by user'],
    ['decline with a word', { type: 'decline', message: 'Use the cache.' }, 'rejected by user: Use the cache.'],
  ])('%s keeps it from running', async (_, answer, output) => {
    const result = await touch(() => answer);
    expect(result).toMatchObject({ made: false, output });
    expect(commandsOf(result.s.events)).toMatchObject([{ status: 'declined' }]);
  });

  test('abort interrupts the turn', async () => {
    const { s, made } = await touch(() => ({ type: 'abort' }));
    expect(made).toBe(false);
    expect(s.events.at(-1)).toMatchObject({ type: 'turn.aborted' });
    expect(s.model.requests).toHaveLength(1);
    expect(own(s.rollout(), 'ask.answered')).toEqual([{ kind: 'ask.answered', call_id: 'call_1', answer: 'aborted' }]);
  });

  test('an edited command is judged again and runs instead, and the model gets a note', async () => {
    const asked: string[] = [];
    const { s, made, output } = await touch(({ action }) => {
      const { argv } = action as CommandAction;
      asked.push(argv.at(-1) ?? '');
      if (asked.length > 1) return 'approved';
      return {
        type: 'edit',
        action: { ...(action as CommandAction), argv: ['/bin/bash', '-c', 'touch "$HOME/other"'] },
      };
    });
    expect(asked).toEqual(['touch "$HOME/made"', 'touch "$HOME/other"']);
    expect(made).toBe(false);
    expect(existsSync(join(s.workspace.home, 'other'))).toBe(true);
    expect(output).toContain('The user changed this command before it ran.');
    expect(output).toContain('touch \\"$HOME/other\\"');
    expect(own(s.rollout(), 'ask.answered').map(({ answer }) => answer)).toEqual(['edited', 'approved']);
  });

  test('an edit that the policy allows needs no question, and one that it forbids does not run', async () => {
    const inside = await touch(({ action }) => ({
      type: 'edit',
      action: { ...(action as CommandAction), argv: ['/bin/bash', '-c', 'echo inside'], escalate: false },
    }));
    expect(inside.output).toMatch(/Output:\nThe user changed this command.*\ninside\n$/s);
    const forever = await touch(({ action }) => ({ type: 'edit', action }));
    expect(forever).toMatchObject({ made: false, output: 'rejected by user' });
  });

  test.each<[string, Answer | (() => never), string]>([
    [
      'a scope that was not offered',
      { type: 'approve', scope: { type: 'prefix', prefix: ['bash'], lasts: 'always' } },
      'a scope that was not offered',
    ],
    [
      'another kind of action',
      { type: 'edit', action: { kind: 'plan', steps: [] } },
      'a plan in the place of a command',
    ],
    [
      'nothing at all',
      () => {
        throw new Error('no terminal');
      },
      'no terminal',
    ],
  ])('%s lets nothing run, and the programmer is warned', async (_, answer, warning) => {
    const result = await touch(() => (typeof answer === 'function' ? answer() : answer));
    expect(result.made).toBe(false);
    expect(result.output).toBe('rejected by user: the question could not be put to the user');
    const warnings = result.s.events.filter(({ type }) => type === 'warning');
    expect(warnings).toMatchObject([{ code: 'callback', message: expect.stringContaining(warning) }]);
  });

  test('without a user to ask, the model learns what to do instead', async () => {
    const s = await libraryScene(script(call('exec_command', escalated('true'))), config);
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('go');
    await thread.close();
    expect(s.outputs(1).get('call_1')).toBe(
      'rejected by approval settings: nobody can be asked (Needs it.). Do it another way inside the sandbox, or say in your answer what the user has to do.',
    );
  });
});

describe('scope of an approval', () => {
  const twice = (first: string, second = first) => [
    reply(call('exec_command', escalated(first))),
    reply(call('exec_command', escalated(second))),
    reply(say('done')),
  ];
  const pick =
    (type: ApprovalScope['type'], lasts?: string) =>
    (ask: Ask): Answer => {
      const found = ask.scopes.find(
        ({ scope }) => scope.type === type && (scope.type !== 'prefix' || scope.lasts === lasts),
      );
      if (!found) throw new Error(`${type} was not offered`);
      return { type: 'approve', scope: found.scope };
    };

  test('once: the same command is asked about again', async () => {
    const s = await libraryScene(twice('echo a'), config);
    expect(await run(s, pick('once'))).toHaveLength(2);
  });

  test('thread: the same command is not asked about again, another is, and a resumed thread asks again', async () => {
    const s = await libraryScene([...twice('echo a'), ...twice('echo a', 'echo b')], config);
    const asked: string[] = [];
    const options = s.threadOptions({
      ask: async (ask) => {
        asked.push(ask.argv.at(-1) ?? '');
        return pick('thread')(ask);
      },
    });
    const thread = await s.agent.startThread(options);
    await thread.run('go');
    await thread.close();
    expect(asked).toEqual(['echo a']);
    const resumed = await s.agent.resumeThread(thread.id, options);
    await resumed.run('go');
    await resumed.close();
    expect(asked).toEqual(['echo a', 'echo a', 'echo b']);
  });

  test('a prefix for the thread: commands that begin with it run outside the sandbox, and no file is written', async () => {
    const s = await libraryScene(
      [
        reply(call('exec_command', escalated('touch a', { prefix_rule: ['touch'] }))),
        // The call does not ask to leave the sandbox: the rule is enough.
        reply(call('exec_command', { cmd: 'touch "$HOME/made"' }), call('exec_command', { cmd: 'touch b' })),
        reply(say('done')),
      ],
      { ...config, sandbox_mode: 'read-only' },
    );
    expect(await run(s, pick('prefix', 'thread'))).toHaveLength(1);
    // The value of a variable cannot be read from the command, so no rule allows it.
    expect(existsSync(join(s.workspace.home, 'made'))).toBe(false);
    expect(existsSync(s.workspace.file('b'))).toBe(true);
    expect(existsSync(join(s.workspace.home, 'rules'))).toBe(false);
  });

  test.each([
    ['project', 'rules/projects'],
    ['always', 'rules/default.rules'],
  ])('a prefix for %s is a line that the next run reads', async (lasts, where) => {
    const s = await libraryScene(
      [
        reply(call('exec_command', escalated('touch a'))),
        reply(say('done')),
        reply(call('exec_command', { cmd: 'touch a b' })),
        reply(say('done')),
      ],
      { ...config, sandbox_mode: 'read-only' },
    );
    expect(await run(s, pick('prefix', lasts))).toHaveLength(1);
    expect(existsSync(join(s.workspace.home, where))).toBe(true);
    expect(existsSync(s.workspace.file('a'))).toBe(true);
    // The agent has read its configuration before there were rules.
    const { createAgent } = await import('../../../src/index.ts');
    const agent = createAgent({ env: s.agent.config.env, cwd: s.workspace.path });
    const thread = await agent.startThread({ ephemeral: true });
    await thread.run('go');
    await thread.close();
    expect(existsSync(s.workspace.file('b'))).toBe(true);
    const elsewhere = createAgent({ env: s.agent.config.env, cwd: s.workspace.home });
    expect(elsewhere.config.rules.sources).toHaveLength(1);
    if (lasts === 'always')
      expect(readFileSync(join(s.workspace.home, where), 'utf8')).toContain(
        'prefix_rule(pattern=["touch", "a"], decision="allow")\n',
      );
  });

  test('a terminal: input to it needs a question unless the approval covered it', async () => {
    for (const [type, questions] of [
      ['once', 2],
      ['terminal', 1],
    ] as const) {
      const s = await libraryScene((request, n) => {
        if (n === 1) return reply(call('exec_command', escalated('sleep 20', { yield_time_ms: 250 })));
        const id = /session ID (\d+)/.exec(JSON.stringify(request.body.input))?.[1];
        if (n === 2) return reply(call('write_stdin', { session_id: Number(id), chars: 'hello\n' }));
        return reply(say('done'));
      }, config);
      const asked = await run(s, (ask) => (ask.action.kind === 'command' ? pick(type)(ask) : 'approved'));
      expect(asked).toHaveLength(questions);
    }
  });
});

describe('policies', () => {
  test('untrusted asks about commands that are not known to be read-only', async () => {
    const s = await libraryScene(
      script(call('exec_command', { cmd: 'ls | wc -l' }), call('exec_command', { cmd: 'touch x' })),
      { approval_policy: 'untrusted', sandbox_mode: 'workspace-write' },
    );
    const asked = await run(s, () => 'approved');
    expect(asked.map(({ argv }) => argv.at(-1))).toEqual(['touch x']);
    expect(asked[0]?.sandboxed).toBe(true);
    expect(existsSync(s.workspace.file('x'))).toBe(true);
  });

  test('on-failure asks once to repeat a command that the sandbox made fail', async () => {
    for (const answer of ['approved', 'denied'] as const) {
      const s = await libraryScene(script(call('exec_command', { cmd: 'touch made' })), {
        approval_policy: 'on-failure',
        sandbox_mode: 'read-only',
      });
      const asked = await run(s, () => answer);
      expect(asked).toHaveLength(1);
      expect(asked[0]).toMatchObject({ sandboxed: false, reason: expect.stringContaining('the sandbox is why') });
      expect(existsSync(s.workspace.file('made'))).toBe(answer === 'approved');
      const output = s.outputs(1).get('call_1');
      if (answer === 'approved') expect(output).toContain('Process exited with code 0');
      else expect(output).toMatch(/Read-only file system.*\nThe sandbox may have denied this/s);
      const statuses = commandsOf(s.events).map(({ id, status }) => [id, status]);
      expect(statuses).toEqual(
        answer === 'approved'
          ? [
              ['call_1', 'failed'],
              ['call_1 2', 'completed'],
            ]
          : [['call_1', 'failed']],
      );
    }
  });

  test('on-failure does not ask about a command that fails by itself', async () => {
    const s = await libraryScene(script(call('exec_command', { cmd: 'cat nothing-here' })), {
      approval_policy: 'on-failure',
      sandbox_mode: 'read-only',
    });
    expect(await run(s, () => 'approved')).toEqual([]);
  });

  test('on-request reports the sandbox denial to the model and does not ask', async () => {
    const s = await libraryScene(script(call('shell', { command: ['touch', 'made'] })), {
      approval_policy: 'on-request',
      sandbox_mode: 'read-only',
      tools: { command: 'shell' },
    });
    expect(await run(s, () => 'approved')).toEqual([]);
    const output = JSON.parse(s.outputs(1).get('call_1') ?? '') as { output: string };
    expect(output.output).toContain('The sandbox may have denied this');
  });

  test('a granular policy rejects actions that it does not ask about', async () => {
    const s = await libraryScene(script(call('exec_command', escalated('true'))), {
      approval_policy: { granular: { sandbox_approval: false } },
      sandbox_mode: 'workspace-write',
    });
    expect(await run(s, () => 'approved')).toEqual([]);
    expect(s.outputs(1).get('call_1')).toBe(
      'rejected by the approval policy, which does not ask about this: Needs it.',
    );
    const [context] = s.rollout().flatMap((line) => (line.type === 'turn_context' ? [line.payload] : []));
    expect(context?.approval_policy).toMatchObject({ granular: { sandbox_approval: false, rules: true } });
  });
});
