import { messageOf, ToolFailure } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ToolCall } from '../../base/tool.ts';

/**
 * Returns the patch of a call. Models that were trained with another form of the tool send it as JSON where it should
 * be plain, plain where it should be JSON, under another name, or as the words of a command.
 */
export function readInput({ payload }: ToolCall): string {
  if (payload.kind === 'local_shell') throw wrong('apply_patch takes a patch');
  const text = payload.kind === 'function' ? payload.arguments : payload.input;
  if (!/^\s*["[{]/.test(text)) return text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (payload.kind === 'custom') return text;
    throw wrong(messageOf(error), error);
  }
  const patch = patchIn(value);
  if (patch === undefined) throw wrong('missing field `input`');
  return patch;
}

function patchIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 2 && isName(value[0]) ? patchIn(value[1]) : undefined;
  return isRecord(value) ? patchIn(value.input ?? value.patch ?? value.command) : undefined;
}

function isName(word: unknown): boolean {
  return word === 'apply_patch' || word === 'applypatch';
}

function wrong(reason: string, cause?: unknown): ToolFailure {
  return new ToolFailure('parse', `failed to parse function arguments: ${reason}`, { cause });
}
