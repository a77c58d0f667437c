import type { ToolCallItem } from '../../base/event.ts';
import { callOutput } from '../../text/call-output.ts';
import { firstLine } from '../../text/first-line.ts';
import { type Line, span } from '../../text/span.ts';
import { outputRows, seconds } from './command-rows.ts';
import { safeSpan } from './safe-row.ts';
import type { ViewOptions } from './view-options.ts';

const SHOWN_ARGUMENTS = 200;
const RESULT_LINES = 3;
const SHOWN_TIME_MS = 1000;

/** Returns the rows of a call: the tool with its arguments, and the beginning of its result. */
export function callRows(item: ToolCallItem, options: ViewOptions): Line[] {
  const output = callOutput(item.output);
  if (item.status === 'failed') {
    const why = firstLine(output);
    return [callTitle(item), [safeSpan(`failed${why === '' ? '' : `: ${why}`}`, { color: 'error' })]];
  }
  const { durationMs } = item;
  const time =
    durationMs !== null && durationMs > SHOWN_TIME_MS ? [[span(seconds(durationMs), { color: 'muted' })]] : [];
  return [callTitle(item), ...outputRows(output, options, RESULT_LINES, 0), ...time];
}

/** Returns the row of a tool and its arguments, as the model wrote them. */
export function callTitle(item: ToolCallItem, most = SHOWN_ARGUMENTS): Line {
  const { mcp, namespace, name, arguments: written } = item;
  const tool = mcp ? `${mcp.server}.${mcp.tool}` : namespace === undefined ? name : `${namespace}.${name}`;
  const short = written.length > most ? `${written.slice(0, most)}…` : written;
  return [safeSpan(tool, { color: 'accent' }), safeSpan(`(${short.trim() === '{}' ? '' : short})`)];
}
