import type { TextLimit } from '../base/bound-text.ts';
import type { ModelEntry } from '../base/model-entry.ts';
import { loadedWindow } from './model-limits.ts';
import { modelRow } from './model-rows.ts';

/** Facts about a model that are needed before the first request. */
export interface ModelFacts {
  /** The bound on texts that the model reads, such as outputs of calls. */
  readonly textLimit: TextLimit;
  /** In tokens. */
  readonly contextWindow: number;
  readonly reasoningSummary: 'auto';
  /** Whether the model accepts images. */
  readonly imageInput: boolean;
  /** Whether the model accepts images in their original size. */
  readonly originalImages: boolean;
  /** The tool for running commands that the model knows best. */
  readonly commandTool: 'exec_command' | 'local_shell';
  /** The form in which `apply_patch` is offered to the model. */
  readonly applyPatch: 'freeform' | 'function';
  /** Whether the servers of the model's maker search the web for it. */
  readonly webSearch: boolean;
  /** Whether the model was trained with tools like ours, so that it needs no instructions for them. */
  readonly family: 'trained' | 'other';
}

/**
 * Safe assumptions for a model without a row. Codex offers such a model no `apply_patch`, and looks for it in commands.
 * A model that has never seen `apply_patch` does not write it into a command, but every model can fill in one parameter
 * of a function.
 */
const UNKNOWN: ModelFacts = {
  textLimit: { unit: 'bytes', limit: 10_000 },
  contextWindow: 272_000,
  reasoningSummary: 'auto',
  imageInput: true,
  originalImages: false,
  commandTool: 'exec_command',
  applyPatch: 'function',
  webSearch: false,
  family: 'other',
};

/** Models that were trained with Codex. */
const TRAINED: ModelFacts = {
  ...UNKNOWN,
  textLimit: { unit: 'tokens', limit: 10_000 },
  applyPatch: 'freeform',
  webSearch: true,
  family: 'trained',
};

const SHARP_EYED: ModelFacts = { ...TRAINED, originalImages: true };

/** Facts by the beginning of a name. The first row that matches counts. */
const MODELS: readonly (readonly [begins: string, facts: ModelFacts])[] = [
  ['gpt-5.3-codex-spark', { ...TRAINED, contextWindow: 100_000 }],
  ['gpt-5.4', SHARP_EYED],
  ['gpt-5.5', SHARP_EYED],
  ['gpt-5', TRAINED],
  ['gpt-6', SHARP_EYED],
  [
    'codex-mini',
    { ...TRAINED, contextWindow: 200_000, commandTool: 'local_shell', applyPatch: 'function', webSearch: false },
  ],
  ['codex', TRAINED],
];

/** Returns the family of a model. The name may be preceded by that of its maker and a slash. */
export function modelFamily(slug: string): ModelFacts['family'] {
  return trainedFacts(slug) === undefined ? 'other' : 'trained';
}

export interface ModelQuery {
  /** Id of the provider. */
  readonly provider: string;
  readonly model: string;
  /** The user's facts, by the name of a model or `PROVIDER/MODEL`. */
  readonly configured: Readonly<Record<string, ModelEntry>>;
  /** As in `ClientWire`. */
  readonly usualWindow?: number | undefined;
}

/** The facts about a model, and whether they are more than assumptions. */
export interface FoundFacts {
  readonly facts: ModelFacts;
  /** Whether the window of the model is known. */
  readonly isKnown: boolean;
}

/**
 * Returns the facts about a model: those of the user, then those that are built in, then safe assumptions.
 */
export async function findModelFacts(query: ModelQuery): Promise<FoundFacts> {
  const { provider, model, configured, usualWindow } = query;
  const trained = trainedFacts(model);
  const row = trained === undefined ? modelRow(model) : undefined;
  const builtIn = trained ?? withEntry(UNKNOWN, row);
  const facts = { ...builtIn, contextWindow: loadedWindow(builtIn.contextWindow, usualWindow) };
  const own = configuredEntry(configured, provider, model);
  return { facts: withEntry(facts, own), isKnown: (trained ?? row ?? own?.contextWindow) !== undefined };
}

/** Returns the user's facts about a model of a provider. */
export function configuredEntry(
  configured: ModelQuery['configured'],
  provider: string,
  model: string,
): ModelEntry | undefined {
  const name = [`${provider}/${model}`, model].find((key) => Object.hasOwn(configured, key));
  return name === undefined ? undefined : configured[name];
}

function withEntry(facts: ModelFacts, { contextWindow, input }: ModelEntry = {}): ModelFacts {
  return {
    ...facts,
    contextWindow: contextWindow ?? facts.contextWindow,
    imageInput: input?.includes('image') ?? facts.imageInput,
  };
}

function trainedFacts(slug: string): ModelFacts | undefined {
  const name = slug.slice(slug.lastIndexOf('/') + 1).toLowerCase();
  return MODELS.find(([begins]) => name.startsWith(begins))?.[1];
}
