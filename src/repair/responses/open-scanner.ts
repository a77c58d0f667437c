import { createTextScanner } from '../text/create-text-scanner.ts';
import type { TextScanner, TextScannerOptions } from '../text/segment.ts';
import type { ResponsesRepairState } from './response-state.ts';

/** Opens a scanner for one text of the response. The scanner reports tags and channels. */
export function openScanner(
  { channel, thinking }: Pick<TextScannerOptions, 'channel' | 'thinking'>,
  response: ResponsesRepairState,
): TextScanner {
  const { context, reporter } = response;
  return createTextScanner({
    channel,
    tools: context.tools,
    thinking,
    textCalls: context.textCalls,
    continues: false,
    isQuoted: context.isQuoted,
    onRepair(id, before, after) {
      if (id === 'E3') {
        response.closedThinking = true;
        context.memory.startsThinking = true;
      }
      reporter.report(id, { before, after });
    },
  });
}
