import { isRecord } from '../base/json-schema.ts';
import type { ApprovalPolicy } from '../base/policy.ts';
import { type FoundSettings, wrongValue } from './setting/layers.ts';
import type { Settings } from './setting/settings-reader.ts';

/** `approval_policy`: a name, or a table that says for each kind of question whether the user is asked. */
export function readApproval(settings: Settings): ApprovalPolicy {
  const found = settings.found('approval_policy');
  if (found === undefined || !isRecord(found.value))
    return settings.oneOf(['untrusted', 'on-failure', 'on-request', 'never'], 'approval_policy') ?? 'on-request';
  const { granular } = found.value;
  if (!isRecord(granular)) throw wrongValue(['approval_policy'], 'a name, or a table { granular = { … } }', found);
  const asks = (key: string) => readSwitch(key, { value: granular[key] ?? true, layer: found.layer });
  return { sandbox: asks('sandbox_approval'), rules: asks('rules'), mcp: asks('mcp_elicitations') };
}

function readSwitch(key: string, found: FoundSettings): boolean {
  if (typeof found.value === 'boolean') return found.value;
  throw wrongValue(['approval_policy', 'granular', key], 'true or false', found);
}
