import type { ModelRequest } from '../../base/model.ts';
import { type Fields, number, object, optional, string } from '../fields/request-fields.ts';
import { effortFor } from '../fields/thinking-budget.ts';

/**
 * Returns how the model should think. The model itself decides how much it thinks, guided by the effort. Servers that
 * want a number of tokens instead say so in their refusal. A model that must call a tool may not think.
 */
export function writeThinking({ reasoning, toolChoice }: ModelRequest): Fields | undefined {
  const { effort, summary } = reasoning;
  if (effort === undefined) return undefined;
  if (effort === NO_EFFORT) return { type: 'disabled' };
  if (toolChoice !== 'auto' && toolChoice !== 'none') return undefined;
  const isShown = summary !== undefined && summary !== 'none';
  return { type: 'adaptive', ...(isShown && { display: 'summarized' }) };
}

const NO_EFFORT = 'none';

/** Returns the effort in the words of this wire. Other words pass: servers know more words every year. */
export function writeEffort({ effort }: ModelRequest['reasoning']): string | undefined {
  if (effort === NO_EFFORT) return undefined;
  return effort === 'minimal' ? 'low' : effort;
}

/**
 * Reads how the model should think. A client that lets the model think shows the thoughts and sends them back, so it
 * gets summaries and encrypted reasoning from servers that have these only on request.
 */
export function readThinking(body: Fields): Pick<ModelRequest, 'reasoning' | 'include'> {
  const thinking = optional(body.thinking, 'thinking', object);
  const config = optional(body.output_config, 'output_config', object) ?? {};
  const type = optional(thinking?.type, 'thinking.type', string);
  const budget = optional(thinking?.budget_tokens, 'thinking.budget_tokens', number);
  const effort = optional(config.effort, 'output_config.effort', string) ?? effortOf(budget);
  const isOn = type !== undefined && type !== 'disabled';
  const isShown = isOn && thinking?.display !== 'omitted';
  return {
    reasoning: { ...(effort !== undefined && { effort }), ...(isShown && { summary: 'auto' }) },
    include: isOn ? ['reasoning.encrypted_content'] : [],
  };
}

function effortOf(budget: number | undefined): string | undefined {
  return budget === undefined ? undefined : effortFor(budget);
}
