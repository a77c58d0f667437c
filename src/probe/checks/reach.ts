import type { ModelError } from '../../base/errors.ts';
import { BASE_PATHS, loadWire, wiresAt, wiresToTry } from '../../wire/registry.ts';
import { belowPath, lacksPath } from '../address.ts';
import type { ProbeAnswer } from '../answer.ts';
import type { Check, CheckOutcome } from '../check.ts';
import type { Learned, ProbeRun } from '../probe-run.ts';
import { message, type ProbeQuestion } from '../question.ts';
import { askWithoutRefusedFields } from '../refused-fields.ts';

/** The word that the instructions ask for. */
export const MARK = 'oxbow';

/** Question of the first request over each wire. Its instructions tell whether the server passes them on. */
export const PLAIN: ProbeQuestion = {
  instructions: `Begin every answer with the word "${MARK}", whatever the user says.`,
  input: [message('user', 'Say the word pong.')],
};

/** Finds the wires of a server, and chooses one. */
export const reach: Check = {
  id: 'wires',
  asks: 3,
  async run(run) {
    const outcome = await tryWires(run);
    if (outcome.status !== 'failed') return outcome;
    const { provider } = run;
    for (const path of BASE_PATHS) {
      if (!mayLackPath(run)) break;
      run.provider = belowPath(provider, path);
      const below = await tryWires(run);
      if (below.status !== 'failed') return below;
      run.provider = provider;
    }
    return outcome;
  },
};

async function tryWires(run: ProbeRun): Promise<CheckOutcome> {
  run.wires.length = 0;
  const answers: ProbeAnswer[] = [];
  let chosen: { readonly answer: ProbeAnswer; readonly learned: Learned } | undefined;
  /** Header in which the key was refused. Another wire may have it in another one. */
  let refusedIn: string | undefined;
  const { likely, others } = wiresAt(run.provider.baseUrl);
  // An address that the user writes together with a wire may be unusual.
  for (const name of new Set([...likely, ...wiresToTry(run.provider), ...others])) {
    if (chosen !== undefined && others.includes(name)) break;
    const wire = await loadWire(name);
    if (refusedIn === wire.credential.name) continue;
    run.restore(run.beginning);
    const answer = await askWithoutRefusedFields(run, { ...PLAIN, wire });
    answers.push(answer);
    run.wires.push({ wire: wire.name, works: answer.error === undefined, why: answer.error?.message ?? null });
    const isBetter = chosen === undefined || run.provider.wire === wire.name;
    if (answer.error === undefined && isBetter) chosen = { answer, learned: run.learned() };
    if (answer.error?.code === 'auth') refusedIn = wire.credential.name;
    else if (answer.error !== undefined && LASTING.has(answer.error.code)) break;
  }
  run.restore(chosen?.learned ?? run.beginning);
  run.first = chosen?.answer;
  run.wire = chosen?.answer.wire;
  const works = run.wires.filter((tried) => tried.works).map(({ wire }) => wire);
  if (run.wire !== undefined) return { status: 'ok', says: `${works.join(' and ')}; ${run.wire.name} is used` };
  const failures = answers.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const [error] = failures.sort((a, b) => tellingness(b) - tellingness(a));
  return { status: 'failed', says: error?.message ?? 'There is no wire to try.' };
}

/** Returns how much a failure says. A missing path says least, and an answer of another wire little. */
function tellingness({ status, code, serverWords = '' }: ModelError): number {
  if (status === 404 || status === 405) return /model/i.test(serverWords) ? 2 : 0;
  return code === 'invalid_response' ? 1 : 3;
}

/** Failures that are the same over every wire. */
const LASTING: ReadonlySet<string> = new Set(['aborted', 'idle_timeout', 'quota_exceeded', 'unreachable']);

/** Reports whether the address may lack its last part, which most servers have. */
function mayLackPath({ provider, answers }: ProbeRun): boolean {
  return lacksPath(provider) && answers.every(({ status }) => status !== undefined && WRONG_PATH.has(status));
}

/** Web servers answer an unknown path with a page, too. */
const WRONG_PATH: ReadonlySet<number> = new Set([200, 301, 302, 307, 308, 404, 405]);
