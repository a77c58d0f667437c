import { isRecord } from '../../base/json-schema.ts';
import { withField, withoutFields } from '../../wire/fields/edit-fields.ts';
import { fieldsOf, wordOf } from '../../wire/fields/lenient-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { budgetFor, effortFor } from '../../wire/fields/thinking-budget.ts';
import type { AdaptStep } from './step.ts';

/**
 * G15: an effort becomes a number of tokens for thinking, or the other way round, or both are left out. The number must
 * be below the limit of the answer, so it follows that limit. Servers that take a number refuse it in the middle of a
 * turn that began without thoughts, as after a client that does not send thoughts back: such a turn goes on without.
 */
export const thinkingForm: AdaptStep = {
  isOn: ({ thinkingForm, maxOutputTokens }) => thinkingForm !== 'as_sent' || maxOutputTokens !== null,
  apply(body, { rules, compat, report }) {
    const { thinking } = body;
    if (!rules.saysHowToThink) return body;
    const adapted =
      compat.thinkingForm === 'none' ? withoutThinking(body) : inForm(body, thinking, compat.thinkingForm);
    if (adapted !== body) report('G15', formOf(body), formOf(adapted));
    return adapted;
  },
};

function inForm(body: Fields, thinking: unknown, form: keyof typeof FORMS): Fields {
  return isRecord(thinking) ? FORMS[form](body, thinking) : body;
}

const FORMS = { adaptive: asEffort, budget: asBudget, as_sent: withinLimit };

function formOf({ thinking, output_config }: Fields): Fields {
  return { thinking, effort: fieldsOf(output_config).effort };
}

function withoutThinking(body: Fields): Fields {
  const { effort, ...config } = fieldsOf(body.output_config);
  const rest = withoutFields(body, ['thinking', ...(Object.keys(config).length === 0 ? ['output_config'] : [])]);
  return effort === undefined || rest.output_config === undefined ? rest : { ...rest, output_config: config };
}

function asEffort(body: Fields, thinking: Fields): Fields {
  if (thinking.type !== 'enabled') return body;
  const { budget_tokens: budget, ...rest } = thinking;
  const config = fieldsOf(body.output_config);
  const effort = wordOf(config.effort) ?? effortFor(typeof budget === 'number' ? budget : 0);
  return { ...body, thinking: { ...rest, type: 'adaptive' }, output_config: { ...config, effort } };
}

function asBudget(body: Fields, thinking: Fields): Fields {
  if (thinking.type !== 'disabled' && isWithoutThoughts(body)) return withoutThinking(body);
  if (thinking.type !== 'adaptive') return withinLimit(body, thinking);
  const { effort, ...config } = fieldsOf(body.output_config);
  const rest = withoutFields(body, Object.keys(config).length === 0 ? ['output_config'] : []);
  const configured = rest.output_config === undefined ? rest : { ...rest, output_config: config };
  return withBudget(configured, thinking, budgetFor(wordOf(effort), limitOf(body)));
}

/** Lowers a number of tokens for thinking that leaves no room for the answer. */
function withinLimit(body: Fields, thinking: Fields): Fields {
  const { type, budget_tokens: budget } = thinking;
  const limit = limitOf(body);
  if (type !== 'enabled' || typeof budget !== 'number' || budget < limit) return body;
  return withBudget(body, thinking, budgetFor(effortFor(budget), limit));
}

function withBudget(body: Fields, thinking: Fields, budget: number | undefined): Fields {
  if (budget === undefined) return withoutFields(body, ['thinking']);
  return withField(body, 'thinking', { ...thinking, type: 'enabled', budget_tokens: budget });
}

/** Reports whether a request continues a turn whose calls came without thoughts. */
function isWithoutThoughts({ messages }: Fields): boolean {
  const history = Array.isArray(messages) ? messages.map(fieldsOf) : [];
  if (!hasResults(history.at(-1))) return false;
  const asked = history.findLastIndex((message) => message.role === 'user' && !hasResults(message));
  const first = history.slice(asked + 1).find(({ role }) => role === 'assistant');
  return !THOUGHTS.has(blocksOf(first)[0]?.type);
}

const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

function hasResults(message: Fields | undefined): boolean {
  return blocksOf(message).some(({ type }) => type === 'tool_result');
}

function blocksOf(message: Fields | undefined): readonly Fields[] {
  return Array.isArray(message?.content) ? message.content.map(fieldsOf) : [];
}

function limitOf({ max_tokens: limit }: Fields): number {
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
}
