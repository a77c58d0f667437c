import { isRecord } from '../../base/json-schema.ts';
import { withField, withoutFields } from '../../wire/fields/edit-fields.ts';
import type { AdaptStep } from './step.ts';

/** G4: the token limit is sent under the name that the server knows. */
export const maxTokens: AdaptStep = {
  isOn: ({ maxTokens }) => maxTokens !== 'as_sent',
  apply(body, { rules, compat, report }) {
    const wanted = compat.maxTokens;
    if (!rules.namesTokenLimit || wanted === 'as_sent') return body;
    const other = wanted === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    if (!Object.hasOwn(body, other)) return body;
    const limit = body[wanted] ?? body[other] ?? null;
    report('G4', { [other]: body[other] }, limit === null ? '' : { [wanted]: limit });
    const rest = withoutFields(body, [other]);
    return limit === null ? rest : withField(rest, wanted, limit);
  },
};

/** G16: the token limit is lowered to the most that the server accepts. */
export const maxOutputTokens: AdaptStep = {
  isOn: ({ maxOutputTokens }) => maxOutputTokens !== null,
  apply(body, { rules, compat, report }) {
    const max = compat.maxOutputTokens ?? Number.POSITIVE_INFINITY;
    let lowered = body;
    for (const name of rules.tokenLimits ?? []) {
      const limit = body[name];
      if (typeof limit !== 'number' || limit <= max) continue;
      report('G16', { [name]: limit }, { [name]: max });
      lowered = withField(lowered, name, max);
    }
    return lowered;
  },
};

/** G5: a forced choice becomes `auto`. G13: the field is left out. */
export const toolChoice: AdaptStep = {
  isOn: ({ toolChoice }) => toolChoice !== 'any',
  apply(body, { rules, compat, report }) {
    const choice = body.tool_choice;
    if (compat.toolChoice === 'auto') {
      if (!isForced(choice)) return body;
      report('G5', choice, 'auto');
      return withField(body, 'tool_choice', rules.freeChoice?.(choice) ?? 'auto');
    }
    if (!Object.hasOwn(body, 'tool_choice')) return body;
    report('G13', choice, '');
    return withoutFields(body, ['tool_choice']);
  },
};

/** Reports whether a choice of tools restricts the model, other than to no tools at all. */
export function isForced(choice: unknown): boolean {
  const kind = isRecord(choice) ? (choice.type ?? '') : choice;
  return typeof kind === 'string' && kind !== 'auto' && kind !== 'none';
}

/** G14: surplus stop words are left out. */
export const maxStops: AdaptStep = {
  isOn: ({ maxStops }) => maxStops !== null,
  apply(body, { rules, compat, report }) {
    const max = compat.maxStops;
    const name = rules.stops ?? '';
    const stop = body[name];
    if (max === null || stop === undefined || stop === null) return body;
    const words: readonly unknown[] = Array.isArray(stop) ? stop : [stop];
    if (words.length <= max) return body;
    const kept = words.slice(0, Math.max(0, max));
    report('G14', stop, kept.length === 0 ? '' : kept);
    return kept.length === 0 ? withoutFields(body, [name]) : withField(body, name, kept);
  },
};
