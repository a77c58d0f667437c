import type { Fields } from '../../wire/fields/request-fields.ts';
import { isSet, textOf } from '../field-values.ts';
import type { Choice } from './choice-state.ts';
import { type Unit, unitWith } from './chunk.ts';
import {
  canonicalReasoning,
  detailsShape,
  detailsText,
  readParts,
  readReasoning,
  withReasoning,
} from './reasoning-fields.ts';
import { takeReasoningText } from './split-texts.ts';

/** Returns the delta with each text in one field (E1, E7). The same delta if nothing changes. */
export function repairTexts(choice: Choice, delta: Fields): Fields {
  const { content } = delta;
  if (!Array.isArray(content)) return repairReasoning(choice, delta);
  const parts = readParts(content);
  const thought = parts.thought === '' ? {} : { reasoning_content: parts.thought };
  const repaired = { ...delta, content: parts.content, ...thought };
  choice.response.reporter.report('E7', { before: delta, after: repaired });
  return repairReasoning(choice, repaired);
}

function repairReasoning(choice: Choice, delta: Fields): Fields {
  const { response, details, snapshots } = choice;
  const { thought, form } = readReasoning(delta);
  if (form === 'plain') details.text = detailsText(delta.reasoning_details) || details.text;
  // Details that repeat a text add nothing.
  const isSaid = form === 'details' && (thought === details.text || snapshots.repeatsAll(thought));
  if (form === 'plain' || thought === '' || isSaid) return delta;
  const repaired = canonicalReasoning(delta, thought);
  const detail = { before: delta, after: repaired };
  if (form === 'details') choice.unreported ??= detail;
  else response.reporter.report('E1', detail);
  return repaired;
}

/**
 * Reads reasoning from a field of its own, which may repeat the reasoning before it (E6). The unit has no other
 * content.
 */
export function takeReasoning(choice: Choice, unit: Unit, thought: string): void {
  const { snapshots, response } = choice;
  const isFirst = !choice.hasReasoning;
  choice.hasReasoning = true;
  choice.reasoningName = textOf(unit.delta.reasoning_content) === '' ? 'reasoning' : 'reasoning_content';
  const news = snapshots.push(thought);
  if (!isFirst && news !== undefined) reportDetails(choice);
  const isCut = snapshots.repeats() && news !== thought;
  if (isCut) response.reporter.report('E6', { before: thought, after: news });
  const isOther = isSet(unit.delta.reasoning_details) && hasOtherShape(choice, unit);
  takeReasoningText(choice, { unit, came: isCut ? undefined : thought }, news ?? '');
  if (isCut && news === '' && isOther) response.queue.put(unitWith(unit, withReasoning(unit.delta, '')).frame);
}

/** Reports whether details bring something new besides their texts, such as a signature. */
function hasOtherShape({ details }: Choice, { delta }: Unit): boolean {
  const shape = detailsShape(delta.reasoning_details);
  const isOther = details.shape !== shape;
  details.shape = shape;
  return isOther;
}

/** Reports reasoning in details, once it is clear that the details do not repeat themselves. */
export function reportDetails(choice: Choice): void {
  const { unreported, snapshots, response } = choice;
  choice.unreported = undefined;
  if (unreported !== undefined && !snapshots.repeats()) response.reporter.report('E1', unreported);
}
