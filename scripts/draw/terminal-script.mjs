import { call, customCall, reply, say, textsOf, think } from '../../dist/testing.js';

/** Files of the project in the pictures. */
export const FILES = {
  'greet.mjs': `export function greet(name) {
  return \`Hello, \${name}!\`;
}
`,
  'greet.test.mjs': `import { greet } from './greet.mjs';

const wanted = { Ada: 'Hello, Ada!', '': 'Hello, guest!' };
for (const [name, text] of Object.entries(wanted)) {
  const isRight = greet(name) === text;
  if (!isRight) process.exitCode = 1;
  console.log(isRight ? 'ok    ' : 'not ok', JSON.stringify(name), '->', greet(name));
}
`,
};

const PATCH = `*** Begin Patch
*** Update File: greet.mjs
@@
 export function greet(name) {
-  return \`Hello, \${name}!\`;
+  return \`Hello, \${name || 'guest'}!\`;
 }
*** End Patch`;

const run = (cmd) => call('exec_command', { cmd, login: false });
const STEPS = ['Run the test', 'Fix greet.mjs', 'Run the test again'];
const plan = (done) =>
  call('update_plan', {
    plan: STEPS.map((step, at) => ({
      step,
      status: at < done ? 'completed' : at === done ? 'in_progress' : 'pending',
    })),
  });

const usage = { usage: { inputTokens: 4200, outputTokens: 180 } };

/** Replies to each prompt of the pictures, in order. */
const REPLIES = {
  'fix the greeting': [
    reply(
      think('Run the test first.'),
      say('I run the test before I change anything.'),
      plan(0),
      run('node greet.test.mjs'),
      usage,
    ),
    reply(say('An empty name has to become `guest`.'), plan(1), customCall('apply_patch', PATCH), usage),
    reply(plan(2), run('node greet.test.mjs'), usage),
    reply(plan(3), usage),
    reply(
      say(
        "**Both tests pass.** `greet` now takes the first of the two that is not empty:\n\n```js\ngreet('Ada');  // Hello, Ada!\ngreet('');     // Hello, guest!\n```\n\n- A name of blanks is still greeted as it is.\n",
      ),
      usage,
    ),
  ],
  'say it in French': [
    reply(run("sed 's/Hello/Bonjour/' greet.mjs > bonjour.mjs && cat bonjour.mjs"), usage),
    reply(say('`bonjour.mjs` greets in French.'), usage),
  ],
  'clean up': [
    reply(
      say('I remove the build folder.'),
      run('rm -rf ./build\recho harmless \u001b[2K\u001b[1A\u202etxt.exe'),
      usage,
    ),
    reply(say('The build folder is gone.'), usage),
  ],
};

/** Answers by the newest prompt of the request. */
const counts = new Map();
export function script(request) {
  const texts = textsOf(request).map(({ text }) => text);
  const key = Object.keys(REPLIES).findLast((words) => texts.some((text) => text.includes(words)));
  const n = counts.get(key) ?? 0;
  counts.set(key, n + 1);
  return REPLIES[key]?.[n] ?? reply(say('Done.'));
}
