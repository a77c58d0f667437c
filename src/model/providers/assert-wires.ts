import { UserError } from '../../base/errors.ts';
import type { ProviderSettings } from '../../base/provider.ts';
import { WIRE_NAMES } from '../../wire/registry.ts';

/** Throws `UserError` when one of the tables names a wire that does not exist, whether or not its provider is used. */
export function assertWires(settings: Readonly<Record<string, ProviderSettings>>): void {
  const known = ['auto', ...WIRE_NAMES];
  for (const [id, { wire = 'auto' }] of Object.entries(settings)) {
    if (known.includes(wire)) continue;
    throw new UserError(
      'invalid_config',
      `The model provider "${id}" has no wire called "${wire}". Set its wire to one of: ${known.join(', ')}.`,
    );
  }
}
