import { type Item, isCall } from '../base/item.ts';
import { isRecord } from '../base/json-schema.ts';
import type { ModelRequest } from '../base/model.ts';
import type { ToolSpec } from '../base/tool.ts';
import type { Compat, StreamRepair, WireName } from '../base/wire.ts';
import { declaredTools } from '../wire/lowering/declared-tools.ts';
import { parametersOf } from '../wire/lowering/function-parts.ts';
import { repairChat } from './chat/repair-chat.ts';
import type { RepairContext, RepairTool } from './context.ts';
import { quotedCalls } from './input-calls.ts';
import { repairMessages } from './messages/repair-messages.ts';
import { repairOllama } from './ollama/repair-ollama.ts';
import { repairResponses } from './responses/repair-responses.ts';

/** The request and the server of a response. */
export interface RepairOptions extends Pick<RepairContext, 'memory' | 'onRepair'> {
  readonly compat: Pick<Compat, 'thinking' | 'textCalls' | 'htmlEntities'>;
  /** The request that the response answers. */
  readonly request: Pick<ModelRequest, 'instructions' | 'input' | 'tools' | 'toolChoice' | 'text' | 'sampling'>;
}

/** Opens the repair of one response. A wire without a repair passes unchanged. */
export function repairStream(wire: WireName, { request, compat, memory, onRepair }: RepairOptions): StreamRepair {
  const repair = REPAIRS[wire];
  if (repair === undefined) return UNTOUCHED;
  const tools = cachedTools(repair, request.tools);
  const textCalls = compat.textCalls && request.toolChoice !== 'none' && request.text?.schema === undefined;
  return repair.open({
    compat,
    memory,
    onRepair,
    tools,
    isTaken: takenIn(request.input),
    textCalls,
    hasStopWords: (request.sampling?.stop?.length ?? 0) > 0,
    isQuoted: textCalls && tools.size > 0 ? quotedCalls(request, tools) : NEVER,
  });
}

interface WireRepair {
  open(context: RepairContext): StreamRepair;
  /** Returns the tools of a request by the names they have on the wire. */
  readonly toolsOf: (tools: readonly ToolSpec[]) => ReadonlyMap<string, RepairTool>;
  /** Tools by name. All requests of a thread have the same list of tools. */
  readonly cache: WeakMap<readonly ToolSpec[], ReadonlyMap<string, RepairTool>>;
}

const REPAIRS: Readonly<Partial<Record<WireName, WireRepair>>> = {
  chat: { open: repairChat, toolsOf: functionsOf, cache: new WeakMap() },
  responses: { open: repairResponses, toolsOf: toolsByName, cache: new WeakMap() },
  messages: { open: repairMessages, toolsOf: functionsOf, cache: new WeakMap() },
  ollama: { open: repairOllama, toolsOf: functionsOf, cache: new WeakMap() },
};

const NEVER = () => false;
const UNTOUCHED: StreamRepair = { push: (frame) => [frame], end: () => [] };

function cachedTools({ cache, toolsOf }: WireRepair, tools: readonly ToolSpec[]): ReadonlyMap<string, RepairTool> {
  if (tools.length === 0) return NO_TOOLS;
  let known = cache.get(tools);
  if (known === undefined) {
    known = toolsOf(tools);
    cache.set(tools, known);
  }
  return known;
}

const NO_TOOLS: ReadonlyMap<string, RepairTool> = new Map();

function functionsOf(tools: readonly ToolSpec[]): ReadonlyMap<string, RepairTool> {
  return new Map(Array.from(declaredTools(tools), ([name, tool]) => [name, { schema: parametersOf(tool) }]));
}

function toolsByName(tools: readonly ToolSpec[]): ReadonlyMap<string, RepairTool> {
  const known = new Map<string, RepairTool>();
  for (const tool of tools) {
    if (tool.type === 'function') known.set(tool.name, { schema: tool.parameters });
    else if (tool.type === 'custom') known.set(tool.name, { schema: undefined });
    else if (tool.type === 'namespace' && Array.isArray(tool.tools)) {
      for (const member of tool.tools.filter(isRecord)) {
        const schema = isRecord(member.parameters) ? member.parameters : undefined;
        if (typeof member.name === 'string' && !known.has(member.name)) known.set(member.name, { schema });
      }
    }
  }
  return known;
}

/**
 * Returns a test for ids of earlier calls. Keeps only the ids: a response may stream for long, and the input may be
 * long.
 */
function takenIn(input: readonly Item[]): (callId: string) => boolean {
  const taken = new Set<string>();
  for (const item of input) if (isCall(item)) taken.add(item.call_id);
  return (callId) => taken.has(callId);
}
