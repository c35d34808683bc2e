/**
 * The first characters of a text. Characters are code points: a slice by index counts UTF-16 units, and may leave half of an emoji,
 * which is not valid Unicode.
 */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // A character has at most two units.
  return Array.from(text.slice(0, 2 * maxCharacters))
    .slice(0, maxCharacters)
    .join('');
}
