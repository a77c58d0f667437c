import type { LogLine } from '../../base/log.ts';
import { type Section, sectionsIn } from '../../base/section.ts';
import type { Playback } from './playback.ts';
import { isContext } from './turn-facts.ts';

/** Returns the sections of the context as they were: those sent before, and those in the next lines. */
export async function recordedSections(playback: Playback): Promise<readonly Section[]> {
  await playback.caughtUp();
  const { expected, thread } = playback;
  const compacted = compactedAhead(playback);
  if (compacted) return compacted;
  const sections = new Map(thread?.state.told);
  for (let at = 0; ; at++) {
    const lines = [expected.ahead(at), expected.ahead(at + 1)].flatMap((one) => one?.line ?? []);
    const [line] = lines;
    if (line?.type !== 'response_item' || !isContext(lines, 0)) break;
    for (const { name, text } of sectionsIn(line.payload)) sections.set(name, text);
  }
  return [...sections].map(([name, text]) => ({ name, text }));
}

/** Returns the sections in a history that the next lines replace. */
function compactedAhead({ expected }: Playback): readonly Section[] | undefined {
  const [first, second] = [expected.ahead()?.line, expected.ahead(1)?.line];
  if (!first || !isCheckpoint(first) || second?.type !== 'compacted') return undefined;
  return (second.payload.replacement_history ?? []).flatMap((item) => sectionsIn(item));
}

function isCheckpoint(line: LogLine): boolean {
  return line.type === 'oxbow' && line.payload.kind === 'checkpoint';
}
