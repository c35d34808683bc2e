import { convert } from 'html-to-text';

/** Of elements, which the package renders recursively. */
export const MAX_DEPTH = 100;
/** Stands for what is nested deeper. No template contains NUL. */
const TOO_DEEP = '\0';

/** A message of HTML as text. */
export const textOf = (html: string): string =>
  convert(html, { wordwrap: 120, limits: { maxDepth: MAX_DEPTH, ellipsis: TOO_DEEP } });

/** Whether elements of a message are nested too deeply to be rendered as text. */
export const isTooDeep = (html: string): boolean => textOf(html).includes(TOO_DEEP);
