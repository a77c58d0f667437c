import type { RequestCompat } from '../base/wire.ts';
import type { Fields } from '../wire/fields/request-fields.ts';
import { type AdaptChange, type AdaptReport, createChangeList } from './adapt-change.ts';
import type { AdaptRules, Rename } from './adapt-rules.ts';
import { createNameCodec, type NameCodec } from './name-codec.ts';
import { needsAdapting } from './needs-adapting.ts';
import { alternateRoles } from './steps/alternate-roles.ts';
import { developerRole } from './steps/developer-role.ts';
import { dropFields } from './steps/drop-fields.ts';
import { emptyContent } from './steps/empty-content.ts';
import { limitSchemas } from './steps/limit-schemas.ts';
import { oneSystemMessage } from './steps/one-system-message.ts';
import { maxOutputTokens, maxStops, maxTokens, toolChoice } from './steps/parameters.ts';
import type { AdaptStep } from './steps/step.ts';
import { thinkingForm } from './steps/thinking-form.ts';
import { toolImages } from './steps/tool-images.ts';
import { toolOrder } from './steps/tool-order.ts';
import { renameRequest } from './tool-names.ts';

export interface AdaptedRequest {
  /** Adapted body; the same object if nothing changed. */
  readonly body: Fields;
  /** All changes. Any loss of intent is among them. */
  readonly changes: readonly AdaptChange[];
  /** Returns the original name of a tool, given the name that was sent. */
  readonly restoreName: Rename;
}

/**
 * Adapts the parsed body of a request to a server. Unknown fields and unexpected values are kept. Adapting a second
 * time changes nothing. Without rules, the body is unchanged.
 */
export function adaptRequest(rules: AdaptRules | undefined, body: Fields, compat: RequestCompat): AdaptedRequest {
  if (rules === undefined || !needsAdapting(compat)) return { body, changes: NO_CHANGES, restoreName: sameName };
  const { changes, report } = createChangeList();
  const codec = compat.toolNames === 'plain' ? namesOf(rules, body) : undefined;
  const named = codec === undefined ? body : encodeNames(rules, body, { codec, report });
  const steps = STEPS.filter((step) => step.isOn(compat));
  const adapted = steps.reduce((sum, step) => step.apply(sum, { rules, compat, report }), named);
  return { body: adapted, changes, restoreName: codec?.decode ?? sameName };
}

/**
 * The steps, in order. Results are grouped before their images are moved behind them. User messages are complete before
 * they are merged. Tokens for thinking depend on the limit of the answer. Fields are dropped last, when no step may add
 * them again.
 */
const STEPS: readonly AdaptStep[] = [
  developerRole,
  oneSystemMessage,
  toolOrder,
  toolImages,
  alternateRoles,
  emptyContent,
  limitSchemas,
  maxTokens,
  maxOutputTokens,
  thinkingForm,
  toolChoice,
  maxStops,
  dropFields,
];

const NO_CHANGES: readonly AdaptChange[] = [];

const sameName: Rename = (name) => name;

function namesOf(rules: AdaptRules, body: Fields): NameCodec {
  const names: string[] = [];
  renameRequest(rules, body, (name) => {
    names.push(name);
    return name;
  });
  return createNameCodec(names);
}

/** Sends plain names of tools (G12). */
function encodeNames(
  rules: AdaptRules,
  body: Fields,
  { codec, report }: { readonly codec: NameCodec; readonly report: AdaptReport },
): Fields {
  const named = renameRequest(rules, body, codec.encode);
  if (named !== body) report('G12', [...codec.renamed.keys()].join(', '), [...codec.renamed.values()].join(', '));
  return named;
}
