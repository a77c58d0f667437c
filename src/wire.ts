export type { Item } from './base/item.ts';
export type { ModelEvent, ModelRequest } from './base/model.ts';
export type { Repair } from './base/repair.ts';
export type {
  ClientWire,
  Compat,
  EncodeStreamOptions,
  Frame,
  FrameReader,
  Framing,
  StreamDecoder,
  StreamEncoder,
  StreamRepair,
  WireName,
} from './base/wire.ts';
export { DEFAULT_COMPAT } from './base/wire.ts';
export { REPAIRS } from './repair/catalog.ts';
export { type RepairOptions, repairStream } from './repair/repair-stream.ts';
export type { Wire } from './wire/edge/wire.ts';
export { ndjson } from './wire/framing/ndjson.ts';
export { sse } from './wire/framing/sse.ts';
export { loadWire, WIRE_NAMES } from './wire/registry.ts';
