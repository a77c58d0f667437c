import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { scriptedConfig } from './scripted-config.ts';

const URL = 'http://127.0.0.1:1/v1';
const provider = { name: 'Scripted', base_url: URL, wire_api: 'responses', env_key: 'SCRIPTED_KEY' };

test('the config names the scripted model', () => {
  expect(parse(scriptedConfig(URL))).toEqual({
    model: 'scripted',
    model_provider: 'scripted',
    sandbox_mode: 'danger-full-access',
    models: { scripted: { context_window: 272_000 } },
    model_providers: { scripted: provider },
  });
});

test('given settings win, and tables are merged', () => {
  const given = {
    sandbox_mode: 'read-only',
    tools: { command: 'shell' },
    model_providers: { scripted: { stream_max_retries: 1 } },
  };
  expect(parse(scriptedConfig(URL, given))).toEqual({
    model: 'scripted',
    model_provider: 'scripted',
    sandbox_mode: 'read-only',
    tools: { command: 'shell' },
    models: { scripted: { context_window: 272_000 } },
    model_providers: { scripted: { ...provider, stream_max_retries: 1 } },
  });
});
