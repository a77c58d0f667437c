/** Text of an output that cannot hold its image. The image follows in a user message. */
export const ATTACHED_IMAGE = 'attached local image path';

/** Text of an output that cannot hold its file. The file follows in a user message. */
export const ATTACHED_FILE = '[file attached below]';
