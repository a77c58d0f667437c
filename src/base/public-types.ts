// The types that the entries of the package share: each entry exports all of them, so that a program can name every
// type it meets with one import. Lists name the types of files that export values too.
export type * from './action.ts';
export type { TextLimit } from './bound-text.ts';
export type * from './call-hooks.ts';
export type * from './credentials.ts';
export type * from './environment.ts';
export type { FailureKind, ModelError, ModelErrorCode, ModelErrorOptions, Remedy, UserErrorCode } from './errors.ts';
export type * from './event.ts';
export type * from './fetch-like.ts';
export type * from './input.ts';
export type {
  CallItem,
  CallOutputItem,
  ContentPart,
  CustomToolCallItem,
  CustomToolCallOutputItem,
  FunctionCallItem,
  FunctionCallOutputItem,
  HistoryMessage,
  HostedItem,
  Item,
  LocalShellCallItem,
  MessageItem,
  Output,
  ReasoningItem,
  Role,
} from './item.ts';
export type { Infer, JsonSchema } from './json-schema.ts';
export type { Ledger, RequestLedger } from './ledger.ts';
export type * from './limiter.ts';
export type {
  Checkpoint,
  Compacted,
  EventMessage,
  ItemMetadata,
  Log,
  LogLine,
  OutputMetadata,
  OxbowLine,
  RequestRecord,
  SessionMeta,
  SuspendedAsk,
  TokenCounts,
  TokenInfo,
  TurnContext,
  UntoldCommand,
  UserCommandLine,
} from './log.ts';
export type * from './mcp-connection.ts';
export type * from './mcp-server-config.ts';
export type * from './mcp-state.ts';
export type * from './model.ts';
export type * from './policy.ts';
export type * from './prefix-cause.ts';
export type * from './price.ts';
export type * from './provider.ts';
export type * from './repair.ts';
export type { RequestText } from './request-text.ts';
export type { RetryBudget } from './retry-budget.ts';
export type { SectionName } from './section.ts';
export type * from './thread-store.ts';
export type * from './tool.ts';
export type * from './turn-overrides.ts';
export type { Usage } from './usage.ts';
export type * from './usage-limits.ts';
export type {
  ClientWire,
  Compat,
  CredentialHeader,
  EncodeStreamOptions,
  Frame,
  FrameReader,
  Framing,
  ListedModel,
  ModelListing,
  RequestCompat,
  SchemaLimit,
  StreamDecoder,
  StreamEncoder,
  StreamRepair,
  WireCarries,
  WireName,
} from './wire.ts';
export type * from './world.ts';
