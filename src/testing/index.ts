export type {
  Cassette,
  CassetteHeaders,
  ExchangeRequest,
  ExchangeResponse,
  RecordedChunk,
  RecordedExchange,
} from '../cassette/cassette.ts';
// A test holds an agent, so it can name every type of the library.
export type * from '../index.ts';
export { type CassetteServer, type CassetteServerOptions, startCassetteServer } from './cassette-server.ts';
export type { ConformanceCase } from './conformance-case.ts';
export { createWorld, type WorldOptions } from './create-world.ts';
export { type EncodeReplyOptions, encodeReply } from './encode-reply.ts';
export { type EnvironmentUnderTest, environmentConformance } from './environment/conformance.ts';
export { type Fault, fault, type ScriptedAnswer } from './fault.ts';
export { createIds, type Ids } from './ids.ts';
export { type ModelUnderTest, modelConformance } from './model/conformance.ts';
export { readCassette } from './read-cassette.ts';
export {
  callsOf,
  instructionsOf,
  outputsOf,
  type RequestCall,
  type RequestMessage,
  type RequestOutput,
  textsOf,
  toolsOf,
} from './read-request.ts';
export type { RecordedRequest, RequestBody } from './recorded-request.ts';
export {
  type CallPart,
  type CustomCallPart,
  call,
  customCall,
  type GatePart,
  gate,
  type PausePart,
  pause,
  type RawPart,
  type Reply,
  type ReplyOptions,
  type ReplyPart,
  raw,
  reply,
  type SayPart,
  SCRIPTED_USAGE,
  say,
  type ThinkPart,
  think,
} from './reply.ts';
export { type RequestMatch, type Script, type ScriptFunction, type When, type WhenAnswer, when } from './script.ts';
export { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from './scripted-model.ts';
export { type StoreUnderTest, storeConformance } from './store/conformance.ts';
export { createWorkspace, type TempWorkspace } from './temp-workspace.ts';
export { type TestAgent, type TestAgentOptions, testAgent } from './test-agent.ts';
export { type TransportUnderTest, transportConformance } from './transport/conformance.ts';
export type { ReplyWireName } from './wires/index.ts';
