import type { RequestCompat } from '../../../base/wire.ts';
import type { Fields } from '../../request-fields.ts';
import type { Report } from '../adapt-change.ts';
import type { AdaptRules } from '../adapt-rules.ts';

export interface StepContext {
  readonly rules: AdaptRules;
  readonly compat: RequestCompat;
  readonly report: Report;
}

/** One adaptation. */
export interface Step {
  /** Whether the settings ask for it. */
  isOn(compat: RequestCompat): boolean;
  /** The same body where nothing has to change. Never throws, whatever the body holds. */
  apply(body: Fields, context: StepContext): Fields;
}
