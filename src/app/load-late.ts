let loading: Promise<typeof import('./late.ts')> | undefined;

/** What is loaded when it is first needed. Once: to import again what is there already takes its time too. */
export function loadLate(): Promise<typeof import('./late.ts')> {
  loading ??= import('./late.ts');
  return loading;
}
