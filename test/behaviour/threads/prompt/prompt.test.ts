import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../../../src/base/item.ts';
import type { World } from '../../../../src/base/world.ts';
import { realWorld } from '../../../../src/config/real-world.ts';
import { createAgent, type Event } from '../../../../src/index.ts';
import { type RecordedRequest, reply, say } from '../../../../src/testing/index.ts';
import { libraryScene } from '../../../harness/library-scene.ts';
import { runOxbow } from '../../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../../harness/scene.ts';
import type { ConfigTable } from '../../../harness/scripted-config.ts';

const answers = (count: number) => Array.from({ length: count }, (_, n) => reply(say(`answer ${n}`)));

/** Returns the text of each message of a request, part by part: `developer: …`. */
function messagesOf(request: RecordedRequest | undefined): string[] {
  const items: readonly Item[] = request?.body.input ?? [];
  return items.flatMap((item) => {
    if (item.type !== 'message') return [];
    return item.content.map((part) => `${item.role}: ${'text' in part ? part.text : part.type}`);
  });
}

/** Returns the messages of a request that the one before it lacks, without the model's answer. */
function news({ model }: Scene, n: number): string[] {
  const before = messagesOf(model.requests[n - 1]).length;
  return messagesOf(model.requests[n])
    .slice(before)
    .filter((text) => !text.startsWith('assistant: '));
}

const PERMISSIONS = /^developer: <permissions instructions>\n[\s\S]*\n<\/permissions instructions>$/;
const ENVIRONMENT = /^user: <environment_context>\n {2}<cwd>.*<\/cwd>\n[\s\S]*<\/environment_context>$/;
const like = (pattern: RegExp) => expect.stringMatching(pattern);

async function turns(s: Scene, ...all: { readonly config?: ConfigTable; readonly before?: () => void }[]) {
  let id: string | undefined;
  for (const [n, { config = {}, before }] of all.entries()) {
    before?.();
    const args = id === undefined ? [`turn ${n}`] : ['resume', id, `turn ${n}`];
    const result = await runOxbow(['exec', '--json', ...args], { ...s, config });
    expect(result.code).toBe(0);
    id = String(result.events[0]?.thread_id);
  }
}

describe('the first request', () => {
  const files = { 'AGENTS.md': 'Use tabs.\n', 'sub/AGENTS.md': 'In here too.' };

  test('has everything once, in order and with the right names', async () => {
    const s = await scene(answers(1), files);
    writeFileSync(join(s.workspace.home, 'AGENTS.md'), 'Be quick.\n');
    const cwd = s.workspace.file('sub');
    const config = { developer_instructions: 'Be kind.', sandbox_mode: 'workspace-write' };
    const result = await runOxbow(['exec', '-C', cwd, 'go'], { ...s, config });
    expect(result.code).toBe(0);
    const input = s.model.requests[0]?.body.input ?? [];
    expect(input.map((item) => item.type === 'message' && [item.role, item.content.length])).toEqual([
      ['developer', 2],
      ['user', 2],
      ['user', 1],
    ]);
    expect(messagesOf(s.model.requests[0])).toEqual([
      'developer: Be kind.',
      like(PERMISSIONS),
      `user: # AGENTS.md instructions for ${cwd}\n\n<INSTRUCTIONS>\nBe quick.\n\n--- project-doc ---\n\nUse tabs.\n\n\nIn here too.\n</INSTRUCTIONS>`,
      like(ENVIRONMENT),
      'user: go',
    ]);
    const permissions = messagesOf(s.model.requests[0])[1];
    expect(permissions).toContain(`change them only below \`${cwd}\``);
    expect(permissions).toContain('Approval policy: `never`.');
  });

  test('over chat the developer’s part joins the instructions', async () => {
    const s = await scene(answers(1), files);
    const config = { developer_instructions: 'Be kind.', model_providers: { scripted: { wire_api: 'chat' } } };
    await runOxbow(['exec', 'go'], { ...s, config });
    expect(s.model.requests[0]?.body.messages).toEqual([
      {
        role: 'system',
        content: like(
          /^You are Oxbow[\s\S]*\n\nBe kind\.\n\n<permissions instructions>[\s\S]*<\/permissions instructions>$/,
        ),
      },
      {
        role: 'user',
        content: like(
          /^# AGENTS\.md instructions for [\s\S]*Use tabs\.[\s\S]*<\/INSTRUCTIONS>\n\n<environment_context>/,
        ),
      },
      { role: 'user', content: 'go' },
    ]);
  });

  test('mentions the offered tools and no others', async () => {
    const s = await scene(answers(2));
    const config = { tools: { command: 'shell', apply_patch: false, update_plan: false, view_image: false } };
    await runOxbow(['exec', 'go'], { ...s, config });
    await runOxbow(['exec', 'go'], s);
    const [few, usual] = s.model.requests.map(({ body }) => body.instructions ?? '');
    expect(few).toContain("apply_patch <<'EOF'");
    expect(few).not.toMatch(/update_plan|view_image|exec_command|write_stdin/);
    expect(usual).toMatch(
      /## exec_command and write_stdin[\s\S]*## apply_patch[\s\S]*## update_plan[\s\S]*## view_image/,
    );
    expect(usual).not.toContain("apply_patch <<'EOF'");
  });
});

describe('only changes are sent again', () => {
  test('AGENTS.md: its new text, once; its removal, once; and its return', async () => {
    const s = await scene(answers(6), { 'AGENTS.md': 'Use tabs.' });
    const told = (text: string) =>
      `user: # AGENTS.md instructions for ${s.workspace.path}\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`;
    const write = (text: string) => () => s.workspace.write('AGENTS.md', text);
    const remove = () => rmSync(s.workspace.file('AGENTS.md'));
    await turns(s, {}, { before: write('Use blanks.') }, {}, { before: remove }, {}, { before: write('Use tabs.') });
    expect([1, 2, 3, 4, 5].map((n) => news(s, n))).toEqual([
      [told('Use blanks.'), 'user: turn 1'],
      ['user: turn 2'],
      [like(/^user: # AGENTS\.md instructions for [\s\S]*There are none any more/), 'user: turn 3'],
      ['user: turn 4'],
      [told('Use tabs.'), 'user: turn 5'],
    ]);
  });

  test('developer instructions: other ones, none, and a text that begins with a tag', async () => {
    const s = await scene(answers(6));
    const say = (text: string) => ({ config: { developer_instructions: text } });
    const tagged = '<rules>\nBe kind.\n</rules>';
    await turns(s, say('Be kind.'), say('Be brief.'), {}, {}, say(tagged), say(tagged));
    expect([1, 2, 3, 4, 5].map((n) => news(s, n))).toEqual([
      ['developer: Be brief.', 'user: turn 1'],
      ['developer: What the developer said before no longer counts.', 'user: turn 2'],
      ['user: turn 3'],
      [`developer: Instructions of the developer:\n\n${tagged}`, 'user: turn 4'],
      ['user: turn 5'],
    ]);
  });

  test('the permissions, when the sandbox changes', async () => {
    const s = await scene(answers(3));
    const readOnly = { config: { sandbox_mode: 'read-only' } };
    await turns(s, {}, readOnly, readOnly);
    expect([1, 2].map((n) => news(s, n))).toEqual([[like(PERMISSIONS), 'user: turn 1'], ['user: turn 2']]);
    expect(news(s, 1)[0]).toContain('`read-only`');
  });

  test('the day', async () => {
    const real = realWorld();
    let days = 0;
    const world: World = { ...real, now: () => real.now() + days * 86_400_000 };
    const s = await libraryScene(answers(3), {}, { world });
    const thread = await s.agent.startThread();
    await thread.run('turn 0');
    await thread.run('turn 1');
    days = 1;
    await thread.run('turn 2');
    await thread.close();
    expect([1, 2].map((n) => news(s, n))).toEqual([['user: turn 1'], [like(ENVIRONMENT), 'user: turn 2']]);
  });

  test('model-specific instructions, only when they differ from those of the model before', async () => {
    const s = await scene(answers(7));
    const model = (name: string) => ({ config: { model: name } });
    await turns(
      s,
      {},
      model('other'),
      model('gpt-5'),
      model('gpt-5.5'),
      model('scripted'),
      {},
      {
        config: { model: 'gpt-5', model_instructions_file: s.workspace.write('base.md', 'You are a parrot.') },
      },
    );
    const switched = (text: string) =>
      like(new RegExp(`^developer: <model_switch>\\n[\\s\\S]*${text}[\\s\\S]*</model_switch>$`));
    expect([1, 2, 3, 4, 5, 6].map((n) => news(s, n))).toEqual([
      ['user: turn 1'],
      [switched('names and formats that you know'), 'user: turn 2'],
      ['user: turn 3'],
      [switched('You act through calls alone'), 'user: turn 4'],
      ['user: turn 5'],
      ['user: turn 6'],
    ]);
  });
});

describe('base instructions', () => {
  test('for a turn apply from then on, even in another process, and override earlier ones', async () => {
    const s = await libraryScene(answers(6));
    const file = s.workspace.write('base.md', 'You are an owl.');
    const env = { HOME: s.workspace.home, OXBOW_HOME: s.workspace.home, SCRIPTED_KEY: 'k' };
    const agentWith = (settings: object) => createAgent({ env, cwd: s.workspace.path, settings: { ...settings } });
    const first = await agentWith({}).startThread();
    await first.run('a');
    await first.run('b', { baseInstructions: 'You are a parrot.' });
    await first.run('c');
    await first.close();
    const second = await agentWith({ instructions: 'It is not asked.' }).resumeThread(first.id);
    await second.run('d');
    await second.close();
    const third = await agentWith({ model_instructions_file: file }).resumeThread(first.id);
    await third.run('e', { baseInstructions: 'You are a crow.' });
    await third.run('f');
    await third.close();
    const [ours, ...others] = s.model.requests.map(({ body }) => body.instructions);
    expect(ours).toMatch(/^You are Oxbow/);
    const [parrot, crow] = ['You are a parrot.', 'You are a crow.'];
    expect(others).toEqual([parrot, parrot, parrot, crow, crow]);
  });
});

describe('files that do not go into the prompt', () => {
  const warnings = (events: readonly Event[]) =>
    events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));

  test('are named once in a thread, and the turn goes on', async () => {
    const s = await libraryScene(answers(2), { project_doc_max_bytes: 10 });
    s.workspace.write('AGENTS.md', 'Use tabs and nothing else.');
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('one');
    await thread.run('two');
    await thread.close();
    expect(warnings(s.events)).toEqual([like(/more than 10 bytes; the model is not told the rest of .*AGENTS\.md\./)]);
    expect(messagesOf(s.model.requests[0]).join('\n')).toContain('<INSTRUCTIONS>\nUse tabs a\n\n[Left out');
    expect(news(s, 1)).toEqual(['user: two']);
  });

  test('a link out of an untrusted project is not followed', async () => {
    const s = await libraryScene(answers(1));
    const secret = join(s.workspace.home, 'secret.txt');
    writeFileSync(secret, 'the secret');
    symlinkSync(secret, s.workspace.file('AGENTS.md'));
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('one');
    await thread.close();
    expect(warnings(s.events)).toEqual([expect.stringContaining(`it links to ${secret}`)]);
    expect(s.model.requests[0]?.bytes.includes('the secret')).toBe(false);
  });
});

test('names, a limit and markers for AGENTS.md come from the configuration', async () => {
  const s = await scene(answers(2), {
    'a/b/c/README.md': 'of c',
    'a/b/README.md': 'of b',
    'a/AGENTS.md': 'of a',
    'a/b/root': '',
  });
  const cwd = s.workspace.file('a/b/c');
  const config = { project_doc_fallback_filenames: ['README.md'], project_root_markers: ['root'] };
  await runOxbow(['exec', '-C', cwd, 'go'], { ...s, config });
  expect(messagesOf(s.model.requests[0]).join('\n')).toContain('<INSTRUCTIONS>\nof b\n\nof c\n</INSTRUCTIONS>');
  await runOxbow(['exec', '-C', cwd, 'go'], { ...s, config: { ...config, project_doc_max_bytes: 0 } });
  expect(messagesOf(s.model.requests[1]).join('\n')).not.toContain('AGENTS.md instructions');
  const wrong = await runOxbow(['exec', 'go'], { ...s, config: { project_doc_fallback_filenames: ['../x.md'] } });
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('project_doc_fallback_filenames');
});
