import type { Provider } from '../base/provider.ts';
import type { Compat } from '../base/wire.ts';
import type { Wire } from '../wire/edge/wire.ts';
import { isRefused, type ProbeAnswer } from './answer.ts';
import { ask } from './ask.ts';
import type { BoundedHttp } from './bounded-http.ts';
import { type Finding, lessonFindings, repairFinding } from './finding.ts';
import type { ProbeOptions, TriedWire } from './parts.ts';
import type { ProbeQuestion } from './question.ts';

/** Settings to try on a server that refuses a request in words that are not understood. */
export interface Trial {
  readonly compat: Partial<Compat>;
  /** Sentence that says what the server refuses and what is done about it. */
  readonly reason: string;
}

/** Settings and findings of a probe at one moment. */
export interface Learned {
  readonly compat: Compat;
  readonly findings: readonly Finding[];
}

/** The state of a probe that its checks share. */
export interface ProbeRun {
  /** The server. Its address changes where another one turns out to be right. */
  provider: Provider;
  model: string;
  /** The wire of the questions, when it is chosen. */
  wire: Wire | undefined;
  readonly wires: TriedWire[];
  /** The settings that are known to be right so far. */
  compat: Compat;
  /** First answer over the chosen wire. */
  first: ProbeAnswer | undefined;
  /** The question and the answer with which the model called a tool. */
  called: { readonly question: ProbeQuestion; readonly answer: ProbeAnswer } | undefined;
  /** All answers, in order. */
  readonly answers: ProbeAnswer[];
  readonly findings: Finding[];
  /** Settings and findings before the first question. */
  readonly beginning: Learned;
  learned(): Learned;
  /** Goes back to the settings and findings of an earlier moment. */
  restore(learned: Learned): void;
  /** Returns the good answers over the chosen wire, under settings that are known to be right. */
  goodAnswers(): readonly ProbeAnswer[];
  /** Asks a question. A server that wants a short wait gets one. */
  ask(question: ProbeQuestion): Promise<ProbeAnswer>;
  /** Adds a finding, unless the same one is known. */
  add(...findings: readonly Finding[]): void;
  /** Keeps settings that have proved right. */
  settle(trial: Trial): void;
}

export function createProbeRun(options: ProbeOptions, http: BoundedHttp, model: string): ProbeRun {
  const run: ProbeRun = {
    provider: options.provider,
    model,
    wire: undefined,
    wires: [],
    compat: options.provider.compat,
    first: undefined,
    called: undefined,
    answers: [],
    findings: [],
    beginning: { compat: options.provider.compat, findings: [] },
    learned: () => ({ compat: run.compat, findings: [...run.findings] }),
    restore({ compat, findings }) {
      run.compat = compat;
      run.findings.splice(0, run.findings.length, ...findings);
    },
    goodAnswers: () =>
      run.answers.filter(({ error, isTrial, wire }) => error === undefined && !isTrial && wire.name === run.wire?.name),
    async ask(question) {
      const wire = question.wire ?? run.wire;
      if (wire === undefined) throw new Error('A question needs a wire.');
      const { provider, compat } = run;
      const asking = { ...options, http, provider, compat, model: run.model, wire };
      const first = await ask(question, asking);
      const answer = (await waited(first, options)) ? await ask(question, asking) : first;
      run.answers.push(answer);
      run.add(...answer.repairs.map(repairFinding));
      for (const lesson of answer.lessons) run.add(...lessonFindings(lesson));
      if (question.compat === undefined && answer.lessons.length > 0) run.compat = answer.compat;
      return answer;
    },
    add(...findings) {
      for (const finding of findings)
        if (!run.findings.some((known) => isSame(known, finding))) run.findings.push(finding);
    },
    settle(trial) {
      run.compat = { ...run.compat, ...trial.compat };
      run.add(...lessonFindings({ patch: trial.compat, reason: trial.reason }));
    },
  };
  return run;
}

/** Waits where a server limits its rate and names a short time. Reports whether to ask again. */
async function waited({ error }: ProbeAnswer, { world, signal }: ProbeOptions): Promise<boolean> {
  if (error?.code !== 'rate_limited') return false;
  const ms = error.retryAfterMs ?? USUAL_WAIT_MS;
  if (ms > MAX_WAIT_MS) return false;
  await world.sleep(ms, signal).catch(() => undefined);
  return !signal.aborted;
}

const USUAL_WAIT_MS = 2000;
const MAX_WAIT_MS = 30_000;

function isSame(a: Finding, b: Finding): boolean {
  return a.quirk === b.quirk && a.what === b.what;
}

/**
 * Asks a question, again under other settings where the server refuses it. Settings under which it was accepted are
 * kept. Returns the accepted answer, or the first refusal.
 */
export async function askTrying(
  run: ProbeRun,
  question: ProbeQuestion,
  trials: readonly Trial[],
): Promise<ProbeAnswer> {
  const answer = await askLearning(run, question);
  if (!isRefused(answer)) return answer;
  for (const trial of trials) {
    const next = await run.ask({ ...question, compat: { ...question.compat, ...trial.compat } });
    if (next.error !== undefined) continue;
    run.settle(trial);
    return next;
  }
  return answer;
}

/** Asks a question for as long as each refusal has something new to learn from. */
async function askLearning(run: ProbeRun, question: ProbeQuestion): Promise<ProbeAnswer> {
  let answer = await run.ask(question);
  for (let round = 0; round < MAX_ROUNDS && isRefused(answer) && answer.unproven.length > 0; round++) {
    const lessons = answer.unproven;
    const compat = Object.assign({}, ...lessons.map(({ patch }) => patch)) as Partial<Compat>;
    answer = await run.ask({ ...question, compat: { ...question.compat, ...compat } });
    if (answer.error !== undefined) continue;
    for (const { patch, reason } of lessons) run.settle({ compat: patch, reason });
    run.compat = answer.compat;
  }
  return answer;
}

/** A request is sent in four other forms at most before it fails. */
const MAX_ROUNDS = 2;
