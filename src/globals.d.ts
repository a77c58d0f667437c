/** Documents that are part of the program, such as tool descriptions, are imported as text. */
declare module '*.md' {
  const text: string;
  export default text;
}

/** The version of the package, put in by the build. */
declare const OXBOW_VERSION: string;

/** Finds the native code of the package for this system. The package says nothing of its types. */
declare module '@lydell/node-pty/requireBinary.js' {
  export function requireBinary(file: 'pty.node'): unknown;
}
