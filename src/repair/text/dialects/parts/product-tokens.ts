/** Tokens that are named after a product. The name stands in this file only. */
export const NAMESPACED_TAG = 'minimax:tool_call>';
export const TAG_PREFIX = ']<]minimax[>[';
