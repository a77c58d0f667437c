import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { INPUT_AND_OUTPUT, PROMPT_AND_COMPLETION, readUsage, writeUsage } from '../../wire/fields/token-usage.ts';
import { fieldsOf } from '../field-values.ts';

/** Returns a usage that every client can read (H8). The same value if it is one. */
export function usageShape(usage: unknown): unknown {
  if (usage === undefined || usage === null || isComplete(usage)) return usage;
  if (!isRecord(usage)) return null;
  const chat = usage.input_tokens === undefined && usage.output_tokens === undefined;
  const counted = readUsage(usage, chat ? PROMPT_AND_COMPLETION : INPUT_AND_OUTPUT);
  return counted === null ? null : merged(usage, fieldsOf(writeUsage(counted, INPUT_AND_OUTPUT)));
}

function isComplete(usage: unknown): boolean {
  const { input_tokens, output_tokens, total_tokens, input_tokens_details, output_tokens_details } = fieldsOf(usage);
  return (
    isRecord(usage) &&
    [input_tokens, output_tokens, total_tokens].every(isCount) &&
    hasCount(input_tokens_details, 'cached_tokens') &&
    hasCount(output_tokens_details, 'reasoning_tokens')
  );
}

/** Reports whether details are missing altogether or have this count. */
function hasCount(details: unknown, name: string): boolean {
  return details === undefined || details === null || isCount(fieldsOf(details)[name]);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number';
}

function merged(usage: Fields, written: Fields): Fields {
  const details = (name: string) => ({ ...fieldsOf(usage[name]), ...fieldsOf(written[name]) });
  return {
    ...usage,
    ...written,
    input_tokens_details: details('input_tokens_details'),
    output_tokens_details: details('output_tokens_details'),
  };
}
