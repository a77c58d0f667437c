import type { Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import { loadWire } from '../../wire/registry.ts';
import type { ProbeAnswer } from '../answer.ts';
import { type Check, type CheckOutcome, failure, note, ok } from '../check.ts';
import type { ProbeRun } from '../probe-run.ts';
import { ADD, message, type ProbeQuestion, TOOLS } from '../question.ts';
import { askWithoutRefusedFields } from '../refused-fields.ts';

const NOTE = 'a & b < c "d"';

const QUESTION: ProbeQuestion = {
  input: [
    message(
      'user',
      `Call the tool ${ADD.name} once, with a = 2, b = 3 and note = ${JSON.stringify(NOTE)}. Do not answer in words.`,
    ),
  ],
  tools: TOOLS,
};

/** Asks for one call. Without one, asks over the server's other wires. */
export const call: Check = {
  id: 'call',
  asks: 1,
  async run(run) {
    const answer = await askWithoutRefusedFields(run, QUESTION);
    if (answer.calls.length > 0) return called(run, answer);
    for (const { wire: name } of run.wires.filter(({ wire, works }) => works && wire !== run.wire?.name)) {
      const wire = await loadWire(name);
      const learned = run.learned();
      // Lessons about one wire may be wrong for another.
      run.restore(run.beginning);
      const other = await run.ask({ ...QUESTION, wire });
      if (other.calls.length === 0) {
        run.restore(learned);
        continue;
      }
      run.add({
        quirk: null,
        what: `The model calls tools over ${name}, and not over ${run.wire?.name}.`,
        handling: 'setting',
      });
      run.wire = wire;
      return called(run, other);
    }
    run.add({ quirk: null, what: 'The model did not call the tool that it was asked to call.', handling: 'limit' });
    return failure(answer) ?? { status: 'failed', says: 'the model made no call' };
  },
};

function called(run: ProbeRun, answer: ProbeAnswer): CheckOutcome {
  run.called = { question: QUESTION, answer };
  const [first] = answer.calls;
  const given = argumentsOf(first);
  if (/&(?:amp|lt|gt|quot|#\d+);/.test(String(given.note))) {
    run.settle({
      compat: { htmlEntities: true },
      reason: 'The server writes arguments with HTML entities: they are decoded.',
    });
  }
  if (first?.type !== 'function_call' || first.name !== ADD.name) return note('another tool was called');
  if (given.a !== 2 || given.b !== 3) return note('called, with other arguments than those asked for');
  return answer.repairs.length === 0 ? ok('called as asked') : note('called, after repairs');
}

/** Returns the arguments of a call; empty if they are not an object. */
function argumentsOf(item: Item | undefined): Readonly<Record<string, unknown>> {
  if (item?.type !== 'function_call') return {};
  try {
    const value: unknown = JSON.parse(item.arguments);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
