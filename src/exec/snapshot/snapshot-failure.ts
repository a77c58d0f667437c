/** The reason why no snapshot was taken. Its message continues the sentence "The workspace was not kept: …". */
export class SnapshotFailure extends Error {
  override readonly name = 'SnapshotFailure';
}
