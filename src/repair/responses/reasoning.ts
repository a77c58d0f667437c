import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf } from '../field-values.ts';
import type { CallSegment, Segment } from '../text/segment.ts';
import { noteLoss } from './damaged-frame.ts';
import { isAnswered } from './is-answered.ts';
import { baseOf, type OpenReasoning, type PartList } from './open-item.ts';
import { openScanner } from './open-scanner.ts';
import type { ResponsesRepairState } from './response-state.ts';
import { TextPart } from './text-part.ts';

/** Opens the reasoning that an event announces. */
export function openReasoning(event: Fields, response: ResponsesRepairState): OpenReasoning {
  const lists = { content: new Map<unknown, TextPart>(), summary: new Map<unknown, TextPart>() };
  const found: CallSegment[] = [];
  return {
    ...baseOf(fieldsOf(event.item), event),
    type: 'reasoning',
    isAnnounced: event.type !== 'response.output_item.done',
    found,
    ...lists,
    part(list: PartList, index: unknown) {
      let part = lists[list].get(index);
      if (part === undefined) {
        part = createPart(found, response);
        lists[list].set(index, part);
      }
      return part;
    },
  };
}

function createPart(found: CallSegment[], response: ResponsesRepairState): TextPart {
  const part: TextPart = new TextPart({
    scanner: openScanner({ channel: 'reasoning', thinking: 'text' }, response),
    output: response.output,
    amount: response.text,
    plain: 'reasoning',
    trimsStart: false,
    onText() {
      part.announcesText = false;
    },
    onOther: (segment) => take(segment, { part, found }, response),
  });
  return part;
}

interface Taker {
  readonly part: TextPart;
  /** Calls of the item. */
  readonly found: CallSegment[];
}

/**
 * Reads a segment of reasoning. Calls count only if the response has nothing else, and everything waits for that
 * decision.
 */
function take(segment: Segment, { part, found }: Taker, response: ResponsesRepairState): void {
  if (segment.type === 'calls' && response.reasoningCalls === undefined && isAnswered(response)) {
    response.reasoningCalls = 'are text';
  }
  if (segment.type !== 'calls' || response.reasoningCalls === 'are text') part.send(segment.text);
  else if (response.damage !== undefined) {
    part.touch();
    noteLoss(response);
  } else if (response.reasoningCalls === 'count') {
    part.touch();
    found.push(segment);
    response.foundInReasoning.push(segment);
  } else {
    part.pause(segment);
    response.undecided = { part, waiting: [] };
  }
}
