import type { TuiModel } from '../model.ts';
import { entryBlocks } from '../pager/entry-blocks.ts';
import { appendBlocks } from '../pager/pager.ts';
import type { Entry } from '../view/entry.ts';
import { viewOptions } from '../view/model-options.ts';

/** Returns the model with entries for the scrollback. */
export function say(model: TuiModel, ...entries: readonly Entry[]): TuiModel {
  if (entries.length === 0) return model;
  const { pager, outbox } = model;
  const next = { ...model, outbox: [...outbox, ...entries] };
  if (!pager?.follows) return next;
  const blocks = entries.flatMap((entry, index) =>
    entryBlocks(`live:${outbox.length + index}`, entry, viewOptions(model)),
  );
  return { ...next, pager: { ...pager, pager: appendBlocks(pager.pager, blocks) } };
}

/** Returns the model with a sentence for the scrollback. */
export function note(model: TuiModel, text: string, tone: 'plain' | 'dim' | 'warning' | 'error' = 'dim'): TuiModel {
  return say(model, { kind: 'notice', tone, text });
}
