/** A workspace is not kept, for a reason that continues the sentence "The workspace was not kept: …". */
export class SnapshotFailure extends Error {
  override readonly name = 'SnapshotFailure';
}
