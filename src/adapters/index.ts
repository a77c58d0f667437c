export type * from '../base/public-types.ts';
export { quoteArgv } from '../shell/quote.ts';
export { type ExecEnvironmentOptions, environmentFromExec } from './exec/environment-from-exec.ts';
export type { Exec, ExecProcess } from './exec/exec-process.ts';
export type { FarShell } from './exec/far-command.ts';
