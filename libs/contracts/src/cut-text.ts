/**
 * The start of a text, at most `maxLength` long as schemas count it (UTF-16 units). It never ends in the middle of a character, which
 * may take two units.
 */
export function cutText(text: string, maxLength: number): string {
  const start = text.slice(0, maxLength);
  // Half of the last character is no valid Unicode.
  return start.length < text.length ? start.replace(/[\ud800-\udbff]$/, '') : start;
}

/** A text for people, from a program that may write anything: of at most `maxLength`, and without what cannot be stored. */
export const shownText = (text: string, maxLength: number): string =>
  cutText(text, maxLength).replace(/\0|\p{Surrogate}/gu, '\ufffd');
