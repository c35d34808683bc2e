/**
 * The first characters of a text. Characters are Unicode code points, as in the limits of schemas; a slice by index counts UTF-16
 * units, and may leave half of an emoji.
 */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // A character has at most two units.
  return Array.from(text.slice(0, 2 * maxCharacters))
    .slice(0, maxCharacters)
    .join('');
}

/** The same for a text from a program that may write anything, for people: without what cannot be stored. */
export const shownText = (text: string, maxCharacters: number): string =>
  cutText(text, maxCharacters).replaceAll('\0', '\ufffd').toWellFormed();
