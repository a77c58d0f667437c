/** Why a request does not begin with the bytes of the one before. */
export type PrefixCause =
  /** There was none before. */
  | 'start'
  /** Others were asked for, or the thread goes on under another program's. */
  | 'instructions'
  | 'tools'
  | 'model'
  /** Another server is asked, which has seen nothing of the thread. */
  | 'provider'
  | 'compaction'
  /** Images are left out for a model without eyes, or sent again to one that has them. */
  | 'images'
  /** What the model thought before the user spoke is left out, for servers that want it so. */
  | 'reasoning'
  | 'rollback';
