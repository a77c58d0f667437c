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
  /** Reports whether the settings ask for this adaptation. */
  isOn(compat: RequestCompat): boolean;
  /** Returns the adapted body; the same body if nothing changes. Never throws, whatever the body holds. */
  apply(body: Fields, context: StepContext): Fields;
}
