import { userInfo } from 'node:os';
import { digestOf, digestText } from '../../base/digest-of.ts';
import { UserError } from '../../base/errors.ts';
import type { Provider } from '../../base/provider.ts';
import type { BuiltInTool, CustomSpec, FunctionSpec, Tool, ToolSnapshot, ToolSpec } from '../../base/tool.ts';
import type { WireCarries } from '../../base/wire.ts';
import type { Config } from '../../config/load-config.ts';
import type { McpTools } from '../../mcp-client/mcp-tools.ts';
import type { ModelFacts } from '../../model/models.ts';
import { createBuiltInTools, offeredSpecs } from '../../tools/registry.ts';
import type { ToolSelection, ToolSettings } from '../../tools/tool-entry.ts';

export interface ToolSourceOptions {
  readonly config: Config;
  readonly provider: Provider;
  readonly facts: ModelFacts;
  readonly carries: WireCarries;
  /**
   * Returns the tools of the embedding program at this moment. The array is the same as long as the tools do not
   * change.
   */
  own(): readonly Tool[];
  /** Tools of MCP servers. */
  readonly mcp?: McpTools | undefined;
  /** The kinds of built-in tools that the embedding program chose. */
  readonly builtIn: ReadonlySet<BuiltInTool>;
}

/**
 * Returns the source of the tools that one model is offered. The source throws `UserError` when two tools share a name.
 */
export function createToolSource(options: ToolSourceOptions): () => ToolSnapshot {
  const builtIn = createBuiltInTools(settingsOf(options.config), (kind) => isOn(kind, options));
  const offered = offeredSpecs(selectionFor(options));
  const { mcp } = options;
  let own: readonly Tool[] | undefined;
  let ofServers: readonly Tool[] | undefined;
  let snapshot: ToolSnapshot | undefined;
  return () => {
    const now = options.own();
    const served = mcp?.tools();
    if (snapshot === undefined || own !== now || ofServers !== served) {
      own = now;
      ofServers = served;
      const more = [...now, ...(served ?? [])];
      snapshot = snapshotOf([...builtIn, ...more], [...offered, ...ownSpecs(more, options.provider)], mcp?.find);
    }
    return snapshot;
  };
}

function snapshotOf(
  tools: readonly Tool[],
  offered: readonly ToolSpec[],
  findOther: ToolSnapshot['find'] = () => undefined,
): ToolSnapshot {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    for (const name of [tool.name, ...(tool.aliases ?? [])].map((one) => flatName(tool.namespace, one))) {
      if (byName.has(name)) throw new UserError('invalid_input', `There are two tools called "${name}".`);
      byName.set(name, tool);
    }
  }
  let digest: string | undefined;
  return {
    offered,
    get digest() {
      digest ??= digestText(digestOf(JSON.stringify(offered), 0));
      return digest;
    },
    // The names of built-in tools win.
    find: (call) => byName.get(flatName(call.namespace, call.name)) ?? findOther(call),
  };
}

/** Namespace of all functions in the training of some models. They may name it in a call. */
const ALL_FUNCTIONS = 'functions';

export function flatName(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === ALL_FUNCTIONS ? name : `${namespace}__${name}`;
}

/**
 * Returns the specs of the embedding program's tools. Few servers support namespaces. For the others the namespace
 * becomes part of the name.
 */
function ownSpecs(tools: readonly Tool[], { openaiAuth }: Provider): ToolSpec[] {
  const specs: ToolSpec[] = [];
  const members = new Map<string, (FunctionSpec | CustomSpec)[]>();
  for (const { spec, namespace, namespaceText = '' } of tools) {
    if (namespace === undefined || (spec.type !== 'function' && spec.type !== 'custom')) specs.push(spec);
    else if (!openaiAuth) specs.push({ ...spec, name: flatName(namespace, spec.name) });
    else {
      const known = members.get(namespace);
      if (known) known.push(spec);
      else {
        const first = [spec];
        members.set(namespace, first);
        specs.push({ type: 'namespace', name: namespace, description: namespaceText, tools: first });
      }
    }
  }
  return specs;
}

function settingsOf({ tools, cwd }: Config): ToolSettings {
  const { shellOutput, maxPollMs, webSearch } = tools;
  const user = () => userInfo().username;
  return { shellOutput: shellOutput ?? undefined, maxPollMs, searchCommand: webSearch.command, cwd, user };
}

/** Reports whether neither the embedding program nor the configuration has turned off a kind of tools. */
function isOn(kind: BuiltInTool, { config: { tools }, builtIn }: ToolSourceOptions): boolean {
  const off: Readonly<Record<BuiltInTool, boolean>> = {
    shell: tools.command === 'none',
    update_plan: !tools.updatePlan,
    apply_patch: tools.applyPatch === false,
    view_image: tools.viewImage === false,
    web_search: tools.webSearch.mode === 'disabled',
  };
  return builtIn.has(kind) && !off[kind];
}

/** Returns the selection of the config, with defaults that suit the server and the model. */
function selectionFor(options: ToolSourceOptions): ToolSelection {
  const { facts } = options;
  const { tools } = options.config;
  const { originalImages } = facts;
  return {
    command: isOn('shell', options) ? commandFor(options) : 'none',
    updatePlan: isOn('update_plan', options),
    applyPatch: isOn('apply_patch', options) ? patchFor(tools.applyPatch, facts.applyPatch) : null,
    // A model that cannot see images is never offered the tool.
    viewImage: facts.imageInput && isOn('view_image', options) ? { originalImages } : null,
    webSearch: searchFor(options),
  };
}

/**
 * Returns the command tool. A wire without `local_shell` would send it as `shell` and lose requests to leave the
 * sandbox.
 */
function commandFor({ config, facts, carries }: ToolSourceOptions): ToolSelection['command'] {
  const command = config.tools.command ?? facts.commandTool;
  return command === 'local_shell' && !carries.localShell ? 'shell' : command;
}

function patchFor(asked: Config['tools']['applyPatch'], usual: ModelFacts['applyPatch']): ToolSelection['applyPatch'] {
  return asked === 'freeform' || asked === 'function' ? asked : usual;
}

function searchFor(options: ToolSourceOptions): ToolSelection['webSearch'] {
  const { config, provider, facts, carries } = options;
  const { mode, command, contextSize, allowedDomains, location } = config.tools.webSearch;
  if (mode === 'disabled' || !isOn('web_search', options)) return null;
  if (command !== null) return 'command';
  if (!carries.hostedTools) return null;
  // Other servers of this wire may not support the tool, and would refuse the request.
  if (mode === null && !(provider.openaiAuth && facts.webSearch)) return null;
  const usual = config.policy.sandbox.mode === 'danger-full-access' ? 'live' : 'cached';
  return { mode: mode ?? usual, contextSize, allowedDomains, location };
}
