import { digestOf } from '../../base/digest-of.ts';
import type { LogLine } from '../../base/log.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { digestText } from '../prefix.ts';

/**
 * Tools in the place of those that were offered. A log does not have them, only a text that stands for them: for each such
 * text another list is made up, so that they change where they changed.
 */
export interface StandInTools {
  /** A line in which the made up tools are named instead. */
  translate(line: LogLine): LogLine;
  /** The tools that a translated line names. */
  named(digest: string | null): readonly ToolSpec[];
}

export function createStandInTools(): StandInTools {
  const lists = new Map<string, readonly ToolSpec[]>();

  function standIn(digest: string): string {
    const tools: readonly ToolSpec[] = [{ type: 'custom', name: digest, description: '' }];
    const made = digestText(digestOf(JSON.stringify(tools), 0));
    lists.set(made, lists.get(made) ?? tools);
    return made;
  }

  return {
    translate(line) {
      if (line.type !== 'oxbow') return line;
      const { payload } = line;
      if (payload.kind !== 'prefix.changed' && payload.kind !== 'checkpoint') return line;
      if (typeof payload.tools !== 'string') return line;
      return { ...line, payload: { ...payload, tools: standIn(payload.tools) } };
    },
    named: (digest) => (digest === null ? undefined : lists.get(digest)) ?? NO_TOOLS,
  };
}

const NO_TOOLS: readonly ToolSpec[] = [];
