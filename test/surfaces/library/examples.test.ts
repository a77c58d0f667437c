import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { call, reply, type Script, say } from '../../../src/testing/index.ts';
import { EXAMPLES_FOLDER, runExample } from '../../harness/run-example.ts';
import { scene } from '../../harness/scene.ts';

const escalated = {
  cmd: 'echo installed',
  sandbox_permissions: 'require_escalated',
  justification: 'It needs the network.',
};

const EXAMPLES: Record<string, { script: Script; stdin?: string; stdout: string; args?: readonly string[] }> = {
  'first-run.mjs': { script: [reply(say('It counts words.'))], stdout: 'It counts words.\n' },
  'stream.mjs': {
    script: [reply(call('exec_command', { cmd: 'echo 3 passed' })), reply(say('All pass.'))],
    stdout: '\n$ echo 3 passed\n3 passed\nAll pass.\n',
  },
  'own-tool.mjs': {
    script: (request, n) =>
      n === 1
        ? reply(call('list_tickets', { limit: 1 }))
        : reply(say(JSON.stringify(request.body.input).includes('Crash on empty') ? 'Number 7.' : 'No idea.')),
    stdout: 'Number 7.\n',
  },
  'careful-tool.mjs': {
    script: (request, n) =>
      n === 1
        ? reply(call('order', { article: 'chair', count: 3 }))
        : reply(say(JSON.stringify(request.body.input).includes('ordered 3 times chair, number') ? 'Done.' : 'No.')),
    stdout: 'It orders 3 times "chair".\nordering 3 times chair\nDone.\n',
  },
  'approve.mjs': {
    script: (request, n) =>
      n === 1
        ? reply(call('exec_command', escalated))
        : reply(
            say(JSON.stringify(request.body.input).includes('installed\\n') ? 'Installed.' : 'It was not allowed.'),
          ),
    stdin: '1\n',
    stdout: 'Installed.\n',
  },
  'approve-later.mjs': {
    script: (request, n) =>
      n === 1
        ? reply(call('exec_command', escalated))
        : reply(say(JSON.stringify(request.body.input).includes('installed\\n') ? 'Installed.' : 'No.')),
    args: ['yes'],
    stdout: 'Installed.\n',
  },
  'structured.mjs': {
    script: [reply(say('{"summary":"It counts.","risks":["none"]}'))],
    stdout: 'It counts.\n- none\n',
  },
  'steer.mjs': {
    script: (request, n) =>
      n === 1
        ? reply(call('exec_command', { cmd: 'echo 3 passed' }))
        : reply(say(JSON.stringify(request.body.input).includes('one sentence') ? 'All pass.' : 'A long story.')),
    stdout: '> Answer in one sentence.\nAll pass.\n',
  },
  'ai-sdk-model.mjs': { script: [], stdout: 'You said: Good morning.\n' },
  'resume.mjs': { script: [reply(say('first')), reply(say('second'))], stdout: 'second\n' },
};

test('every example is here', () => {
  const programs = readdirSync(EXAMPLES_FOLDER).filter((name) => name.endsWith('.mjs'));
  expect(new Set(Object.keys(EXAMPLES))).toEqual(new Set(programs));
});

test.each(Object.entries(EXAMPLES))('%s runs', async (name, { script, stdin, stdout, args }) => {
  const s = await scene(script);
  if (name === 'resume.mjs') await runExample(s, 'first-run.mjs');
  if (name === 'approve-later.mjs') {
    const asked = await runExample(s, name);
    expect(asked).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^May this run\? .*echo installed.*\nIt needs/),
    });
  }
  const more = { ...(stdin === undefined ? {} : { stdin }), ...(args === undefined ? {} : { args }) };
  const result = await runExample(s, name, more);
  expect(result.stderr).not.toContain('Error');
  expect(result).toMatchObject({ code: 0, stdout });
});

test('the examples compile', () => {
  const paths = readdirSync(EXAMPLES_FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.mjs'),
  );
  const program = ts.createProgram(
    paths.map((name) => join(EXAMPLES_FOLDER, name)),
    {
      allowJs: true,
      checkJs: true,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      types: ['node'],
    },
  );
  const errors = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
  expect(errors).toEqual([]);
});
