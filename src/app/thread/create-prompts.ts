import { isDenied } from '../../base/guarded-paths.ts';
import { formatDay, localTime } from '../../base/local-time.ts';
import type { Policy } from '../../base/policy.ts';
import type { Section } from '../../base/section.ts';
import type { ToolSpec } from '../../base/tool.ts';
import type { World } from '../../base/world.ts';
import type { Config } from '../../config/load-config.ts';
import type { Prompt, PromptContext } from '../../engine/turn-setup.ts';
import { modelFamily } from '../../model/models.ts';
import { createAgentsReader } from '../../prompt/agents/agents-reader.ts';
import type { AgentsText } from '../../prompt/agents/compose-agents.ts';
import { type Audience, baseInstructions } from '../../prompt/base-instructions.ts';
import { familyIn, modelSwitch } from '../../prompt/model-instructions.ts';
import { findEscalation } from '../../prompt/permissions/escalation.ts';
import { permissionsSection } from '../../prompt/permissions/permissions-section.ts';
import { agentsSection, developerSection, environmentContext, NO_AGENTS, NO_DEVELOPER } from '../../prompt/sections.ts';

/** Parts of a thread's prompts that its turns share. */
export interface PromptOptions {
  readonly config: Config;
  readonly world: World;
  /** Whether a user can be asked. */
  readonly canAsk: boolean;
  /** Text that replaces the base instructions. */
  readonly instructions: string | undefined;
  /** Returns the text of the AGENTS.md files as they are now. */
  readonly agents: () => AgentsText;
  readonly onWarning: (message: string) => void;
}

export interface TurnPromptOptions {
  readonly model: string;
  /** Specs of the offered tools. */
  readonly offered: readonly ToolSpec[];
  readonly policy: Policy;
}

/**
 * Returns the function that makes the prompt of each turn. The function throws `UserError` when a file of instructions
 * cannot be read.
 */
export function createPrompts(options: PromptOptions): (turn: TurnPromptOptions) => Prompt {
  const { config, canAsk } = options;
  const chosen = options.instructions !== undefined || config.modelInstructionsFile !== null;
  const agents = agentsOf(options);
  /** Base instructions by the offered tools, which depend on the model. */
  const written = new WeakMap<readonly ToolSpec[], string>();
  return ({ model, offered, policy }) => {
    const audience: Audience = { family: modelFamily(model), offered: new Set(offered.map(nameOf)) };
    const instructions = options.instructions ?? written.get(offered) ?? baseInstructions(config, audience);
    written.set(offered, instructions);
    let permissions: Section | undefined;
    return {
      instructions,
      chosen,
      async sections(context) {
        permissions ??= {
          name: 'permissions',
          text: permissionsSection(policy, { escalation: findEscalation(offered), canAsk }),
        };
        return [
          developerOf(config),
          permissions,
          // Custom base instructions replace the instructions for models too.
          ...(chosen ? [] : [modelOf(audience, context)]),
          agents(),
          environmentOf(options),
        ];
      },
    };
  };
}

function nameOf(spec: ToolSpec): string {
  return 'name' in spec && typeof spec.name === 'string' ? spec.name : spec.type;
}

function developerOf({ developerInstructions }: Config): Section {
  const text = developerInstructions?.trim();
  if (!text) return { name: 'developer', text: NO_DEVELOPER, implied: true };
  return { name: 'developer', text: developerSection(text) };
}

/**
 * Returns the section for a family of models. The section is implied by base instructions that were written for this
 * family. Instructions of other programs count as written for the previous model.
 */
function modelOf({ family, offered }: Audience, { instructions, previousModel }: PromptContext): Section {
  const meant = familyIn(instructions) ?? (previousModel === null ? family : modelFamily(previousModel));
  return { name: 'model', text: modelSwitch(family, offered), implied: meant === family };
}

/** Returns the reader of the section with the AGENTS.md files. It warns of each fault once. */
function agentsOf({ config, agents, onWarning }: PromptOptions): () => Section {
  const warned = new Set<string>();
  let known: { readonly read: AgentsText; readonly section: Section } | undefined;
  return () => {
    const read = agents();
    if (known?.read === read) return known.section;
    for (const fault of read.faults) {
      if (!warned.has(fault)) onWarning(fault);
      warned.add(fault);
    }
    const section: Section =
      read.text === null
        ? { name: 'agents', text: NO_AGENTS, implied: true }
        : { name: 'agents', text: agentsSection(read.text, config.cwd) };
    known = { read, section };
    return section;
  };
}

function environmentOf({ config, world }: PromptOptions): Section {
  const { cwd, shell, timezone } = config;
  const date = formatDay(localTime(world.now(), timezone));
  return { name: 'environment', text: environmentContext({ cwd, shell, timezone, date }) };
}

/** Returns the reader of the AGENTS.md files for all threads of an agent. */
export function createAgentsFiles(
  { home, cwd, project, projectDocs, policy }: Config,
  { now }: World,
): () => AgentsText {
  return createAgentsReader({
    ...projectDocs,
    home,
    cwd,
    trusted: project.trusted,
    isDenied: (path) => isDenied(path, policy.sandbox),
    now,
  });
}
