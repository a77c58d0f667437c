export type Sharp = typeof import('sharp').default;

/** The library that makes images smaller, if it is installed: it is large, and most threads show no image. */
export async function loadSharp(): Promise<Sharp | undefined> {
  try {
    return (await import('sharp')).default;
  } catch {
    return undefined;
  }
}
