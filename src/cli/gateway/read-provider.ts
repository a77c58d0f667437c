import { listProviders } from '../../app/commands/list-providers.ts';
import { UserError } from '../../base/errors.ts';
import type { Config } from '../../config/load-config.ts';
import { didYouMean, UsageError } from '../parse-options.ts';

export interface NamedProvider {
  /** Id of the provider. */
  readonly provider: string;
  readonly model: string | undefined;
}

/**
 * Reads NAME or NAME/MODEL. The name of a model may have slashes, and so may that of a provider of the user. `where` is
 * the place of the text. Throws `UserError` for a provider that does not exist or cannot be used.
 */
export function readProvider(where: string, text: string, config: Config): NamedProvider {
  const providers = listProviders(config);
  const row =
    providers.find(({ id }) => id === text) ?? providers.find(({ id }) => text.startsWith(`${id}/`) && id !== '');
  if (row === undefined) {
    const [name = ''] = text.split('/');
    if (name.trim() === '') {
      const place = text.includes('/') ? ' before its slash' : '';
      throw new UsageError(`${where} "${text}" names no provider${place}. oxbow providers lists all.`);
    }
    const meant = didYouMean(
      name,
      providers.map(({ id }) => id),
    );
    throw new UsageError(`${where}: there is no provider "${name}".${meant} oxbow providers lists all.`);
  }
  if (row.problem !== null) throw new UserError('invalid_config', row.problem);
  if (row.id === text) return { provider: row.id, model: undefined };
  const model = text.slice(row.id.length + 1);
  if (model.trim() === '') {
    const advice = `Write ${row.id}/MODEL, or ${row.id} alone.`;
    throw new UsageError(`${where} "${text}" names no model behind its slash. ${advice}`);
  }
  return { provider: row.id, model };
}
