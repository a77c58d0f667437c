import { wordOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';

/** Returns all models as one page. */
export function modelList(models: readonly Fields[]): Fields {
  const data = models.map(modelEntry);
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

/** Returns a model. Servers of other wires list no name for people, and the time as seconds. */
export function modelEntry({ id, display_name, created_at, created }: Fields): Fields {
  const seconds = typeof created === 'number' && Math.abs(created) < MOST_SECONDS ? created : 0;
  return {
    type: 'model',
    id,
    display_name: wordOf(display_name) ?? id,
    created_at: wordOf(created_at) ?? new Date(seconds * 1000).toISOString(),
  };
}

/** More seconds than a date can hold. */
const MOST_SECONDS = 8.64e12;
