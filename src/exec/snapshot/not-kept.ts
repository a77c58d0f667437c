/** A workspace is not kept, for a reason that continues the sentence "The workspace was not kept: …". */
export class NotKept extends Error {
  override readonly name = 'NotKept';
}
