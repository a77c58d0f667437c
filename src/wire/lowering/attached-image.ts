/** What stands in an output that cannot hold its image: the image follows in a message of the user. */
export const ATTACHED_IMAGE = 'attached local image path';
