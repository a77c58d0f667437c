import { type CallPart, call, reply, say } from '../../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../../harness/library-scene.ts';
import { runOxbow } from '../../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../../harness/scene.ts';
import type { ConfigTable } from '../../../harness/scripted-config.ts';
import type { ProgramResult } from '../../../harness/start-program.ts';

/** The answer of a command tool, parsed. */
export interface Answered {
  /** Session of a command that still runs. */
  readonly session: number | null;
  readonly exitCode: number | null;
  readonly text: string;
  /** The whole text, as the model got it. */
  readonly whole: string;
}

interface ExecArguments {
  readonly cmd: string;
  readonly [name: string]: unknown;
}

/** A model whose calls are made one after the other by a test. */
export interface Driver {
  /** Calls tools at once and returns their outputs. */
  calls(...parts: readonly CallPart[]): Promise<readonly string[]>;
  exec(args: ExecArguments): Promise<Answered>;
  /** Starts a command in a terminal and polls until it has printed a text. */
  start(args: ExecArguments, text: string): Promise<Answered>;
  type(session: number | null, chars: string, yieldMs?: number): Promise<Answered>;
  /** Types, and polls until the output since then holds a text. */
  until(session: number | null, chars: string, text: string): Promise<Answered>;
}

type Play = (driver: Driver) => Promise<void>;

/** Drives `oxbow exec`, which must succeed. */
export async function drive(play: Play, config: ConfigTable = {}): Promise<ProgramResult & Scene> {
  const { script, finished } = scriptOf(play);
  const stage = await scene(script);
  const result = await runOxbow(['exec', '--json', 'go'], { ...stage, config, timeoutMs: 110_000 });
  await finished();
  if (result.code !== 0) throw new Error(`oxbow ended with ${result.code}: ${result.stderr}\n${result.stdout}`);
  return { ...result, ...stage };
}

/** Drives an agent in this process. Each play is a turn. */
export async function stageFor(
  play: Play,
  config: ConfigTable = {},
): Promise<LibraryScene & { finished(): Promise<void> }> {
  const { script, finished } = scriptOf(play);
  return { ...(await libraryScene(script, config)), finished };
}

interface Wanted {
  readonly parts: readonly CallPart[];
  give(outputs: readonly string[]): void;
}

function scriptOf(play: Play) {
  let wants: (wanted: Wanted | undefined) => void = () => undefined;
  let next = new Promise<Wanted | undefined>((resolve) => {
    wants = resolve;
  });
  let current: Wanted | undefined;
  let calls = 0;

  const driver = createDriver(
    (parts) =>
      new Promise((give) => {
        wants({ parts, give });
      }),
  );
  let playing: Promise<void> | undefined;

  return {
    finished: async () => playing,
    async script(request: { readonly body: { readonly input?: readonly unknown[] } }) {
      const outputs = outputsOf(request.body.input ?? []).slice(calls - (current?.parts.length ?? 0));
      next = new Promise((resolve) => {
        wants = resolve;
      });
      if (playing === undefined) {
        playing = play(driver);
        // `finished` throws what went wrong; the model says its last word in any case.
        void playing.catch(() => undefined).then(() => wants(undefined));
      } else {
        current?.give(outputs);
      }
      current = await next;
      if (current === undefined) return reply(say('done'));
      calls += current.parts.length;
      return reply(...current.parts);
    },
  };
}

function outputsOf(input: readonly unknown[]): string[] {
  return input.flatMap((item) => {
    const { type, output } = item as { type?: string; output?: unknown };
    return type === 'function_call_output' ? [String(output)] : [];
  });
}

function createDriver(calls: (parts: readonly CallPart[]) => Promise<readonly string[]>): Driver {
  const one = async (name: string, args: object) => takeApart((await calls([call(name, args)]))[0] ?? '');
  /** Polls until the whole output, including this answer, holds a text. */
  async function lookFor(text: string, first: Answered): Promise<Answered> {
    let answered = first;
    let seen = first.text;
    while (!seen.includes(text)) {
      if (answered.session === null) throw new Error(`"${text}" never came: ${answered.whole}`);
      answered = await driver.type(answered.session, '', 5000);
      seen += answered.text;
    }
    return { ...answered, text: seen };
  }

  const driver: Driver = {
    calls: (...parts) => calls(parts),
    exec: (args) => one('exec_command', args),
    start: async (args, text) => lookFor(text, await driver.exec({ tty: true, yield_time_ms: 500, ...args })),
    type: (session, chars, yieldMs = 250) => one('write_stdin', { session_id: session, chars, yield_time_ms: yieldMs }),
    until: async (session, chars, text) => lookFor(text, await driver.type(session, chars, 500)),
  };
  return driver;
}

const FORM =
  /^Chunk ID: [0-9a-f]{6}\nWall time: \d+\.\d{4} seconds\n(?:Process exited with code (\d+)|Process running with session ID (\d+))\nOriginal token count: (\d+)\nOutput:\n([\s\S]*)$/;

function takeApart(whole: string): Answered {
  const [, exitCode, session, , text] = FORM.exec(whole) ?? [];
  if (text === undefined) return { session: null, exitCode: null, text: '', whole };
  return { session: numberOf(session), exitCode: numberOf(exitCode), text, whole };
}

const numberOf = (digits: string | undefined) => (digits === undefined ? null : Number(digits));
