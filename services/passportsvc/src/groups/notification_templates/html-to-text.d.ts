/** The part that is used of a package without types. */
declare module 'html-to-text' {
  export function convert(
    html: string,
    options?: { wordwrap?: number | false; limits?: { maxDepth?: number; ellipsis?: string } },
  ): string;
}
