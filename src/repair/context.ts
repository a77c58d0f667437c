import type { JsonSchema } from '../base/json-schema.ts';
import type { Repair } from '../base/repair.ts';
import type { Compat } from '../base/wire.ts';

/** What a repair must know of the request that a response answers. */
export interface RepairContext {
  /** The tools of the request by the names they have on this wire. */
  readonly tools: ReadonlyMap<string, RepairTool>;
  /** Whether an earlier call of the thread has this id. */
  readonly isTaken: (callId: string) => boolean;
  /** The answer is to be JSON of a schema: an answer that looks like a call in JSON is none. */
  readonly jsonAnswer: boolean;
  readonly compat: Pick<Compat, 'thinking' | 'textCalls' | 'htmlEntities'>;
  /** What earlier responses of the same model taught; may be changed. */
  readonly memory: RepairMemory;
  readonly onRepair: (repair: Repair) => void;
}

export interface RepairTool {
  /** Undefined for tools that take a text as it is. */
  readonly schema: JsonSchema | undefined;
}

export interface RepairMemory {
  /** Answers of this model begin inside of reasoning that ends with a closing think tag. */
  startsThinking: boolean;
}
