import type { Frame } from '../../base/wire.ts';

/** Returns the frame without secrets; the same frame if it has none. */
export function redactFrame(frame: Frame, redact: (text: string) => string): Frame {
  const { event, data } = frame;
  const shown = redact(data);
  if (shown === data) return frame;
  return event === undefined ? { data: shown } : { event, data: shown };
}
