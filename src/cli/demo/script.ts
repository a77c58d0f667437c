/** Loads the scripted model of `testing/`, which no other part of the program loads. */
export const loadTesting = () => import('../../testing/index.ts');

type Testing = Awaited<ReturnType<typeof loadTesting>>;
type ScriptFunction = Extract<Parameters<Testing['startScriptedModel']>[0], (...args: never[]) => unknown>;
type Request = Parameters<ScriptFunction>[0];
type Reply = ReturnType<Testing['reply']>;

export const PROMPT = 'Make the failing test pass.';

export interface ScriptOptions {
  /** Command that runs the test. */
  readonly test: string;
  /** Time of each piece of a response. 0 means no delay. */
  readonly paceMs: number;
}

/** Delay before the first piece of a response, counted in pieces. */
const THINKING_PIECES = 12;
const LAST_TEST = 'call_test_again';

/** Returns the answers of the demo's model, request by request. */
export function demoScript(testing: Testing, { test, paceMs }: ScriptOptions): ScriptFunction {
  return (request, n) => {
    const reply = stepsFor(testing, request, test)[n - 1];
    if (reply === undefined || paceMs === 0) return reply;
    return testing.fault.slow(
      testing.reply(testing.pause(THINKING_PIECES * paceMs), ...reply.parts, reply.options),
      paceMs,
    );
  };
}

function stepsFor({ reply, think, say, call, customCall }: Testing, request: Request, test: string): Reply[] {
  // The responses cost nothing.
  const free = { usage: { inputTokens: 0, outputTokens: 0 } };
  // A login shell may have another PATH, without the Node that runs this.
  const run = (cmd: string, callId?: string) =>
    call('exec_command', { cmd, login: false }, callId === undefined ? {} : { callId });
  const canPlan = request.body.tools?.some((tool) => 'name' in tool && tool.name === 'update_plan') ?? false;
  const plan = (done: number) => (canPlan ? [call('update_plan', { plan: planAt(done) })] : []);
  return [
    reply(
      think('A failing test. I should read the code and run the test before I change it.'),
      say('I will look at the files, run the test, fix what it shows, and run it again.'),
      ...plan(0),
      run('ls'),
      free,
    ),
    reply(run('cat fizz.mjs'), free),
    reply(say('Now the test.'), run(test), free),
    reply(
      think('15 is divisible by 3, so the check for 3 returns before the check for 15.'),
      say('The check for 3 catches 15 first. The check for 15 has to come before it.'),
      ...plan(1),
      customCall('apply_patch', PATCH),
      free,
    ),
    reply(run(test, LAST_TEST), free),
    ...(canPlan ? [reply(...plan(3), free)] : []),
    reply(say(passed(request) ? FIXED_ANSWER : BROKEN_ANSWER), free),
  ];
}

const PATCH = `*** Begin Patch
*** Update File: fizz.mjs
@@ export function fizz(n) {
+  if (n % 15 === 0) return 'FizzBuzz';
   if (n % 3 === 0) return 'Fizz';
   if (n % 5 === 0) return 'Buzz';
-  if (n % 15 === 0) return 'FizzBuzz';
   return String(n);
*** End Patch`;

const PLAN = ['Look at the files and run the test', 'Fix fizz.mjs', 'Run the test again'];

function planAt(done: number) {
  const statusOf = (index: number) => (index === done ? 'in_progress' : 'pending');
  return PLAN.map((step, index) => ({ step, status: index < done ? 'completed' : statusOf(index) }));
}

/** Reports whether the request contains a passed run of the test. The script must not claim what did not happen. */
function passed({ body }: Request): boolean {
  return (body.input ?? []).some(
    (item) =>
      item.type === 'function_call_output' &&
      item.call_id === LAST_TEST &&
      String(item.output).includes('Process exited with code 0'),
  );
}

const FIXED_ANSWER =
  'The test passes. fizz.mjs checked 3 and 5 before 15, so 15 came out as "Fizz".\nThe check for 15 now comes first.';
const BROKEN_ANSWER = 'The test still fails, and I do not know why.';
