import { describe, test } from 'vitest';
import { modelConformance } from '../../testing/model/conformance.ts';
import { scriptedLanguageModel } from './fixtures/scripted-language-model.ts';
import { modelFromLanguageModel } from './model-from-language-model.ts';

describe.each(['v2', 'v3'] as const)('a language model of version %s', (version) => {
  const cases = modelConformance((answers) => ({
    model: modelFromLanguageModel(scriptedLanguageModel(version, answers)),
  }));
  for (const { name, run } of cases) test(name, run);
});
