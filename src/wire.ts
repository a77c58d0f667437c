export type * from './base/public-types.ts';
export { DEFAULT_COMPAT } from './base/wire.ts';
export { REPAIRS } from './repair/catalog.ts';
export type { RepairMemory } from './repair/context.ts';
export { type RepairOptions, repairStream } from './repair/repair-stream.ts';
export type { Wire } from './wire/edge/wire.ts';
export { ndjson } from './wire/framing/ndjson.ts';
export { sse } from './wire/framing/sse.ts';
export { loadWire, WIRE_NAMES } from './wire/registry.ts';
