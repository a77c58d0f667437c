import type { ContentPart, Item, MessageItem } from './item.ts';
import { isSummary } from './summary.ts';

/**
 * Messages that an agent wrote in the user's name begin with the heading of AGENTS.md or one of these tags. Any other
 * tag may be what the user asks about.
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

/** The texts around an image name it; nobody typed them. */
const AROUND_IMAGE = /^(<image[ >]|<\/image>)/;

/** Whether it is what a user said: no context or summary that an agent tells the model in the user's name. */
export function isFromUser(item: Item): item is MessageItem {
  if (item.type !== 'message' || item.role !== 'user') return false;
  return !WRITTEN_BY_AGENT.test(typedText(item)) && !isSummary(item);
}

/** The text of a user's message without the texts that only name its images. */
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
