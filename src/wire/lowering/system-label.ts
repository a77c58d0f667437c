/** Label of a system text in a user message, for servers that accept system texts only before the history. */
export const SYSTEM_LABEL = '[system]';
