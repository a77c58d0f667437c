import type { Wire } from '../base/wire.ts';

/** The wires that the gateway speaks. */
export type ExchangeWire = Extract<Wire['name'], 'responses' | 'chat'>;
