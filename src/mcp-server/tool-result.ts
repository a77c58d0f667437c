/** The result of a call of `codex` or `codex-reply`. */
export type CodexResult = {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
};

/** Returns the id of a thread under all names that clients look for. */
export function threadIds(id: string): Record<'threadId' | 'conversationId' | 'sessionId', string> {
  return { threadId: id, conversationId: id, sessionId: id };
}

/** Returns the result with the final answer of a turn. */
export function answerResult(id: string, text: string): CodexResult {
  return { content: [{ type: 'text', text }], structuredContent: { ...threadIds(id), content: text } };
}

/** Returns the result of a call that failed. The id is there once there is a thread, so that a reply can go on. */
export function failedResult(text: string, id?: string): CodexResult {
  if (id === undefined) return { content: [{ type: 'text', text }], isError: true };
  return { ...answerResult(id, text), isError: true };
}
