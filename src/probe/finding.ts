import type { Lesson } from '../adapt/refusals/rule.ts';
import type { Repair } from '../base/repair.ts';
import type { Compat } from '../base/wire.ts';

/**
 * A way in which a server differs from its protocol. `repaired`: the agent corrects it without a setting. `setting`: the
 * entry of the provider has a setting for it. `tolerated`: nothing has to be done. `retried`: the response fails and is
 * asked for again. `limit`: the server cannot do something, and no setting helps.
 */
export interface Finding {
  /** Id from docs/wire-quirks.md. Null for a difference that has none. */
  readonly quirk: string | null;
  readonly what: string;
  readonly handling: 'repaired' | 'setting' | 'tolerated' | 'retried' | 'limit';
  /** Settings that the finding led to. */
  readonly compat?: Partial<Compat>;
  /** The text as it came, and as the agent reads it. */
  readonly before?: string;
  readonly after?: string;
}

/** Returns the finding of a repair. */
export function repairFinding({ id, title, before, after }: Repair): Finding {
  const handling = FATAL.has(id) ? 'retried' : 'repaired';
  return { quirk: id, what: title, handling, before, after };
}

/** Repairs that end in a failed response. */
const FATAL: ReadonlySet<string> = new Set(['A6', 'F10']);

/** Returns the findings of a lesson, one for each setting that it changed. */
export function lessonFindings({
  patch,
  reason,
}: Pick<Lesson, 'reason'> & { readonly patch: Partial<Compat> }): Finding[] {
  return Object.entries(patch).map(([name, value]) => ({
    quirk: QUIRKS[name as keyof Compat]?.(value) ?? null,
    what: reason,
    handling: 'setting',
    compat: { [name]: value },
  }));
}

const always = (id: string) => () => id;

/** Quirks behind the settings, by the value of the setting. */
const QUIRKS: { readonly [S in keyof Compat]?: (value: unknown) => string | undefined } = {
  developerRole: always('G1'),
  systemMessages: always('G2'),
  alternateRoles: always('G2'),
  dropFields: (paths) => (Array.isArray(paths) && /reasoning_/.test(String(paths.at(-1))) ? 'E5' : 'G3'),
  maxTokens: always('G4'),
  toolChoice: (choice) => (choice === 'omit' ? 'G13' : 'G5'),
  toolOrder: always('G6'),
  emptyContent: always('G7'),
  toolImages: always('G8'),
  schemas: (limits) => (Array.isArray(limits) ? SCHEMA_QUIRKS[String(limits.at(-1))] : undefined),
  toolNames: always('G12'),
  maxStops: always('G14'),
  thinkingForm: always('G15'),
  maxOutputTokens: always('G16'),
  callIds: always('B9'),
  sendReasoning: (which) => (which === 'all' ? 'E4' : 'E5'),
  htmlEntities: always('C8'),
  thinking: always('E3'),
};

const SCHEMA_QUIRKS: Readonly<Record<string, string>> = { typed_branches: 'G9', plain: 'G10', no_patterns: 'G11' };
