import type { BeforeCallAnswer, CallHooks, GuardedHook, HookedCall } from '../../base/call-hooks.ts';
import { messageOf } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ToolResult } from '../../base/tool.ts';
import { readResult } from './read-result.ts';

/**
 * Returns a hook that never throws. A call whose `beforeCall` fails is denied, since the hook may be what keeps calls
 * from doing harm. A result whose `afterCall` fails stays, because the call has had its effect.
 */
export function guardHook(hooks: CallHooks, warn: (message: string) => void): GuardedHook {
  return {
    async before(call, thread) {
      try {
        return readAnswer(await hooks.beforeCall?.(call, thread), call);
      } catch (error) {
        thread.signal.throwIfAborted();
        warn(`The program's own function \`beforeCall\` failed, so the call was denied: ${messageOf(error)}`);
        return { deny: 'The call was denied, because the check before it failed.' };
      }
    },
    async after(call, result, thread) {
      try {
        const { output, success } = result;
        return replaced(result, await hooks.afterCall?.(call, { output, success }, thread));
      } catch (error) {
        thread.signal.throwIfAborted();
        warn(`The program's own function \`afterCall\` failed, so the result stays: ${messageOf(error)}`);
        return result;
      }
    },
  };
}

/** Reads the answer of `beforeCall`. Programs in JavaScript may return any value. */
function readAnswer(answer: unknown, { args }: HookedCall): BeforeCallAnswer | undefined {
  if (answer === undefined || answer === null) return undefined;
  if (isRecord(answer) && typeof answer.deny === 'string') return { deny: answer.deny };
  if (!isRecord(answer) || !('args' in answer)) throw new Error('It returned neither { deny } nor { args }.');
  if (typeof args === 'string' ? typeof answer.args === 'string' : isRecord(answer.args)) {
    // Throws for a value that is not JSON.
    JSON.stringify(answer.args);
    return { args: answer.args };
  }
  throw new Error(`It returned args that are not ${typeof args === 'string' ? 'a text' : 'an object'}.`);
}

function replaced(result: ToolResult, answer: unknown): ToolResult {
  if (answer === undefined || answer === null) return result;
  const read = readResult(answer);
  if (typeof read === 'string') throw new Error(`It returned ${read}.`);
  if (!isRecord(answer) || answer.success === undefined) return { ...result, output: read.output };
  return read.success ? read : { ...read, failure: result.failure ?? 'execution' };
}
