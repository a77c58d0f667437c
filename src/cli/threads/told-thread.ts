import { homeCatalogue } from '../../app/threads/home-catalogue.ts';
import { type ToldThread, tellThread } from '../../app/threads/tell-thread.ts';
import { findHome } from '../../config/home.ts';
import { findTimezone } from '../../config/timezone.ts';

/** Reads a whole thread of the home. Needs neither config.toml nor a model. */
export function toldThread(reference: string): Promise<ToldThread> {
  const store = homeCatalogue({ home: findHome(process.env), timezone: findTimezone(process.env) });
  return tellThread(store, { text: reference });
}
