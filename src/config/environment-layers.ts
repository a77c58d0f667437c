import type { Env } from './home.ts';
import type { Layer } from './setting/layers.ts';

/** The settings that a variable can set. */
const VARIABLES = {
  OXBOW_MODEL: 'model',
  OXBOW_MODEL_PROVIDER: 'model_provider',
  OXBOW_SANDBOX_MODE: 'sandbox_mode',
  OXBOW_APPROVAL_POLICY: 'approval_policy',
  OXBOW_LOG: 'log_level',
};

/** A layer for each of the variables that is set and not empty. */
export function environmentLayers(env: Env, folder: string): Layer[] {
  return Object.entries(VARIABLES).flatMap(([name, key]) =>
    env[name] ? [{ origin: `the variable ${name}`, folder, table: { [key]: env[name] } }] : [],
  );
}
