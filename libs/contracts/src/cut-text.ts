/**
 * Cuts a text by Unicode code points, as schemas count them; a slice counts UTF-16 units and may split a surrogate
 * pair.
 */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // A code point has at most two UTF-16 units.
  return Array.from(text.slice(0, 2 * maxCharacters))
    .slice(0, maxCharacters)
    .join('');
}

/** Cuts a text that another program wrote, for display, and drops characters that cannot be stored. */
export const shownText = (text: string, maxCharacters: number): string =>
  cutText(text, maxCharacters).replaceAll('\0', '\ufffd').toWellFormed();
