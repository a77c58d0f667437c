export type * from '../base/public-types.ts';
export { quoteArgv } from '../shell/quote.ts';
export { type ExecEnvironmentOptions, environmentFromExec } from './exec/environment-from-exec.ts';
export type { Exec, ExecProcess } from './exec/exec-process.ts';
export type { FarShell } from './exec/far-command.ts';
export type {
  LanguageModel,
  LanguageModelCall,
  LanguageModelInput,
  LanguageModelMessage,
  LanguageModelOutput,
  LanguageModelReader,
  LanguageModelResult,
  LanguageModelStream,
  LanguageModelTool,
  ProviderFields,
  ProviderValue,
} from './language-model/language-model.ts';
export { type LanguageModelOptions, modelFromLanguageModel } from './language-model/model-from-language-model.ts';
