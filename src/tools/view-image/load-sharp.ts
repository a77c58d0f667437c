export type Sharp = typeof import('sharp').default;

/**
 * Loads the library that scales images. Undefined when it is not installed: it is large, and most threads show no
 * image.
 */
export async function loadSharp(): Promise<Sharp | undefined> {
  try {
    return (await import('sharp')).default;
  } catch {
    return undefined;
  }
}
