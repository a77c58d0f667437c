/** Texts of formats that are called after the product they belong to. They stand here and nowhere else. */
export const NAMESPACED_TAG = 'minimax:tool_call>';
export const TAG_PREFIX = ']<]minimax[>[';
