import { readTable, type ValuesOf } from './setting/setting.ts';
import type { SettingsReader } from './setting/settings-reader.ts';
import { ACCOUNT_SETTINGS } from './tables/auth.ts';
import { MODEL_SETTINGS } from './tables/model.ts';
import { REPORTING_SETTINGS } from './tables/reporting.ts';
import { TOOL_OUTPUT_SETTINGS } from './tables/tools.ts';

/** Values of the settings that are fields of `Config` itself. */
export interface PlainSettings
  extends ValuesOf<typeof MODEL_SETTINGS>,
    ValuesOf<typeof ACCOUNT_SETTINGS>,
    ValuesOf<typeof TOOL_OUTPUT_SETTINGS>,
    ValuesOf<typeof REPORTING_SETTINGS> {}

/** Returns the value of each setting that is a field of `Config` itself. */
export function readPlainSettings(reader: SettingsReader): PlainSettings {
  return {
    ...readTable(MODEL_SETTINGS, reader),
    ...readTable(ACCOUNT_SETTINGS, reader),
    ...readTable(TOOL_OUTPUT_SETTINGS, reader),
    ...readTable(REPORTING_SETTINGS, reader),
  };
}
