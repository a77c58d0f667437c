import type { ContentPart, Item, MessageItem } from './item.ts';
import { isSummary } from './summary.ts';

/**
 * Messages that an agent wrote in the user's name begin with the heading of AGENTS.md or with one of these tags. A
 * message that begins with any other tag may be the user's own.
 */
const WRITTEN_BY_AGENT = new RegExp(
  `^(# AGENTS\\.md|<(${[
    '(environment|goal|startup|codex_internal)_context',
    '[a-z_]+_instructions',
    '[a-z_]+_notification',
    'permissions instructions',
    'user_(shell_command|action|verification_notice)',
    'turn_aborted|model_switch|collaboration_mode|multi_agent_(mode|role)|skill|hook_prompt',
  ].join('|')})[ >])`,
);

/** Texts around an image only name the image. The user did not type them. */
const AROUND_IMAGE = /^(<image[ >]|<\/image>)/;

/**
 * Reports whether an item is a message that the user wrote. Context and summaries that an agent sends in the user's
 * name are not.
 */
export function isFromUser(item: Item): item is MessageItem {
  if (item.type !== 'message' || item.role !== 'user') return false;
  return !WRITTEN_BY_AGENT.test(typedText(item)) && !isSummary(item);
}

/** Returns the text of a user's message without the texts that only name its images. */
export function typedText({ content }: MessageItem): string {
  return content
    .filter(isText)
    .map(({ text }) => text)
    .filter((text) => !AROUND_IMAGE.test(text))
    .join('');
}

function isText(part: ContentPart): part is Extract<ContentPart, { text: string }> {
  return 'text' in part && typeof part.text === 'string';
}
