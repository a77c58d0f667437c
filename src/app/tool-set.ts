import { userInfo } from 'node:os';
import { UserError } from '../base/errors.ts';
import type { Provider } from '../base/provider.ts';
import type { Tool } from '../base/tool.ts';
import type { Config } from '../config/load-config.ts';
import type { ToolSet } from '../engine/turn-setup.ts';
import type { ModelFacts } from '../model/models.ts';
import { createBuiltInTools, type Offer, offeredSpecs } from '../tools/index.ts';
import type { ToolCodes } from '../tools/tool-codes.ts';
import { loadLate } from './load-late.ts';

export interface ToolSetOptions {
  readonly config: Config;
  readonly provider: Provider;
  readonly facts: ModelFacts;
  /** Tools of the embedding program. */
  readonly own: readonly Tool[];
}

/** Tools by every name that a model may use for them, and those that it is told about. */
export function createToolSet(options: ToolSetOptions): ToolSet {
  const { config, own } = options;
  const byName = new Map<string, Tool>();
  for (const tool of [...createBuiltInTools(lateCodes(config)), ...own]) {
    for (const name of [tool.name, ...(tool.aliases ?? [])]) {
      if (byName.has(name)) throw new UserError(`There are two tools called "${name}".`);
      byName.set(name, tool);
    }
  }
  const offered = [...offeredSpecs(offerFor(options)), ...own.map((tool) => tool.spec)];
  return { offered, find: (name) => byName.get(name) };
}

function lateCodes({ tools, cwd }: Config): () => Promise<ToolCodes> {
  const { shellOutput, maxPollMs, webSearch } = tools;
  const settings = { shellOutput, maxPollMs, searchCommand: webSearch.command, cwd, user: () => userInfo().username };
  let codes: Promise<ToolCodes> | undefined;
  return () => {
    codes ??= loadLate().then(({ createToolCodes }) => createToolCodes(settings));
    return codes;
  };
}

/** What the config asks for; where it says nothing, what suits the server and the model. */
function offerFor(options: ToolSetOptions): Offer {
  const { facts } = options;
  const { tools } = options.config;
  const { originalImages } = facts;
  return {
    command: commandFor(options),
    updatePlan: tools.updatePlan,
    applyPatch: patchFor(tools.applyPatch, facts.applyPatch),
    // Who cannot look at an image is not offered to, whatever the config says.
    viewImage: facts.imageInput && (tools.viewImage ?? true) ? { originalImages } : null,
    webSearch: searchFor(options),
  };
}

/** The chat wire turns `local_shell` into `shell` as well, but cannot keep a wish to leave the sandbox on the way back. */
function commandFor({ config, provider, facts }: ToolSetOptions): Offer['command'] {
  const command = config.tools.command ?? facts.commandTool;
  return command === 'local_shell' && provider.wire === 'chat' ? 'shell' : command;
}

function patchFor(asked: Config['tools']['applyPatch'], usual: ModelFacts['applyPatch']): Offer['applyPatch'] {
  if (asked === false) return null;
  return asked === 'freeform' || asked === 'function' ? asked : usual;
}

function searchFor({ config, provider, facts }: ToolSetOptions): Offer['webSearch'] {
  const { mode, command, contextSize, allowedDomains, location } = config.tools.webSearch;
  if (mode === 'disabled') return null;
  if (command !== null) return 'command';
  if (provider.wire === 'chat') return null;
  // Other servers of this wire may not know it, and refuse what they do not know.
  if (mode === null && !(provider.openaiAuth && facts.webSearch)) return null;
  const usual = config.policy.sandbox.mode === 'danger-full-access' ? 'live' : 'cached';
  return { mode: mode ?? usual, contextSize, allowedDomains, location };
}
