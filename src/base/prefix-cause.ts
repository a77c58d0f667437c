/** The reason why a request does not begin with the bytes of the one before. */
export type PrefixCause =
  /** It is the first request. */
  | 'start'
  /** New instructions were set, or the thread continues under the instructions of another program. */
  | 'instructions'
  | 'tools'
  | 'model'
  /** The request goes to another server, which knows nothing of the thread. */
  | 'provider'
  | 'compaction'
  /** Images are left out for a model that cannot see them, or sent again to one that can. */
  | 'images'
  /** Reasoning from before the user's last message is left out, because the server wants it so. */
  | 'reasoning'
  | 'rollback';
