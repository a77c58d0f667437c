import { describe, expect, test } from 'vitest';
import { call, customCall, gate, reply, say, think } from '../../../src/testing/index.ts';
import { expectScreen } from '../../harness/expect-screen.ts';
import { scene } from '../../harness/scene.ts';
import { startTerminal } from '../../harness/start-terminal.ts';

const PATCH = `*** Begin Patch
*** Update File: greet.py
@@
 def greet(name):
-    return "Hello"
+    return f"Hello, {name}"
*** End Patch
`;
const PLAN = {
  plan: [
    { step: 'Read the code', status: 'completed' },
    { step: 'Greet by name', status: 'in_progress' },
    { step: 'Run the tests', status: 'pending' },
  ],
};
const ANSWER = `# Done

The function **greets by name** now, see \`greet.py\`:

\`\`\`python
print(greet("Ada"))  # Hello, Ada
\`\`\`

- one test was *changed*
- no test was removed

| test | result |
|---|---|
| greets | passed |
| 名前 | passed |

Nothing else changed.
`;

describe.each([
  { columns: 40, rows: 15 },
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
])('a turn at $columns × $rows', ({ columns, rows }) => {
  const size = `${columns}x${rows}`;

  test('shows the answer as it comes, commands, patches, the plan and repairs, and ends with all of it in the scrollback', async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const s = await scene(
      [
        reply(
          think('**Looking at the function.** It takes a name that it does not use.'),
          say('I look at the **function** first.'),
          call('exec_command', {
            cmd: 'sleep 1.2; seq 1 20; while [ ! -e go ]; do sleep 0.05; done; echo failed >&2; exit 3',
          }),
        ),
        reply(call('update_plan', PLAN), customCall('apply_patch', PATCH)),
        reply(call('exec_command', '{"cmd": "echo repaired",}')),
        reply(say('Now the tests.'), gate(finished), call('exec_command', { cmd: 'true' })),
        reply(say(ANSWER)),
      ],
      { 'greet.py': 'def greet(name):\n    return "Hello"\n' },
    );
    const terminal = startTerminal(['make', 'it', 'greet', 'by', 'name'], { ...s, columns, rows });
    const screen = (name: string, rows: () => Promise<string[]>) =>
      expectScreen(import.meta.url, `${name}-${size}`, s.workspace, rows);

    await terminal.shows(/^ *20$/m);
    await screen('command', terminal.screen);
    s.workspace.write('go', '');
    await terminal.shows('Now the tests.');
    await screen('answer', terminal.screen);
    finish();
    await terminal.shows('Nothing else changed.');
    await terminal.hides('working');
    await screen('turn', terminal.lines);
    expect(terminal.bytes()).not.toMatch(FORBIDDEN);
    terminal.type('\u0004');
    expect(await terminal.wait()).toMatchObject({ code: 0 });
  });
});

/** Sequences that clear, scroll or capture the mouse, and the alternate screen, which only the pager uses. */
const FORBIDDEN = new RegExp(`${'\u001b'}\\[([23]J|\\d*[ST]|\\d*;\\d*r|\\?(1049|47|1047|100[0236])h)`);
