import type { RequestCompat } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { AdaptReport } from '../adapt-change.ts';
import type { AdaptRules } from '../adapt-rules.ts';

export interface StepContext {
  readonly rules: AdaptRules;
  readonly compat: RequestCompat;
  readonly report: AdaptReport;
}

/** One adaptation. */
export interface AdaptStep {
  /** Whether the settings ask for it. */
  isOn(compat: RequestCompat): boolean;
  /** The same body where nothing has to change. Never throws, whatever the body holds. */
  apply(body: Fields, context: StepContext): Fields;
}
