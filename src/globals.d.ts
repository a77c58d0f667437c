/** Documents that are part of the program, such as tool descriptions, are imported as text. */
declare module '*.md' {
  const text: string;
  export default text;
}

/** The version of the package, put in by the build. */
declare const OXBOW_VERSION: string;
