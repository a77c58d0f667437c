import type { LogLine } from '../../base/log.ts';
import { type Section, sectionsIn } from '../../base/section.ts';
import type { Stage } from './stage.ts';
import { isContext } from './turn-facts.ts';

/** What there was to tell the model: what it was told before, and what the next lines tell it anew. */
export async function recordedSections(stage: Stage): Promise<readonly Section[]> {
  await stage.caughtUp();
  const { recording, thread } = stage;
  const compacted = compactedAhead(stage);
  if (compacted) return compacted;
  const sections = new Map(thread?.state.told);
  for (let at = 0; ; at++) {
    const lines = [recording.ahead(at), recording.ahead(at + 1)].flatMap((one) => one?.line ?? []);
    const [line] = lines;
    if (line?.type !== 'response_item' || !isContext(lines, 0)) break;
    for (const { name, text } of sectionsIn(line.payload)) sections.set(name, text);
  }
  return [...sections].map(([name, text]) => ({ name, text }));
}

/** What is told with a history that is about to be replaced. */
function compactedAhead({ recording }: Stage): readonly Section[] | undefined {
  const [first, second] = [recording.ahead()?.line, recording.ahead(1)?.line];
  if (!first || !isCheckpoint(first) || second?.type !== 'compacted') return undefined;
  return (second.payload.replacement_history ?? []).flatMap((item) => sectionsIn(item));
}

function isCheckpoint(line: LogLine): boolean {
  return line.type === 'oxbow' && line.payload.kind === 'checkpoint';
}
