import type { JsonSchema } from '../base/json-schema.ts';
import type { Repair } from '../base/repair.ts';
import type { Compat } from '../base/wire.ts';

/** Knowledge of the request that a repair of its response needs. */
export interface RepairContext {
  /** Tools of the request by the names they have on this wire. */
  readonly tools: ReadonlyMap<string, RepairTool>;
  /** Reports whether an earlier call of the thread has this id. */
  readonly isTaken: (callId: string) => boolean;
  /** Whether the server may have left calls in texts, and the request allows calls. */
  readonly textCalls: boolean;
  /** Whether the request has stop words, which may have cut any text. */
  readonly hasStopWords: boolean;
  /** Reports whether the model can have read a call in its input. Such a call in a text may be a quotation. */
  readonly isQuoted: (call: { readonly name: string; readonly arguments: string }) => boolean;
  readonly compat: Pick<Compat, 'thinking' | 'htmlEntities'>;
  /** Lessons from earlier responses of the same model. Repairs change it. */
  readonly memory: RepairMemory;
  readonly onRepair: (repair: Repair) => void;
}

export interface RepairTool {
  /** Undefined for tools that accept a free text. */
  readonly schema: JsonSchema | undefined;
}

/** Lessons about a model, which outlast a response. */
export interface RepairMemory {
  /** Whether answers of this model begin with reasoning that only a closing think tag ends. */
  startsThinking: boolean;
}
