/**
 * Colours of a theme in one colour scheme, as `#rrggbb`. `test/themes.test.ts` checks their contrast (WCAG 2.2, 1.4.3 and
 * 1.4.11): at least 4.5 for text, 3 for the borders of fields.
 */
export interface Palette {
  /** Behind the card. */
  page: string;
  /** The card with the content. */
  card: string;
  text: string;
  /** Hints and other text of less weight. */
  muted: string;
  /** Borders of fields and of secondary buttons. */
  border: string;
  /** Decorative lines, such as that around the card. */
  line: string;
  /** Buttons, links, the mark and the outline of what has the focus. */
  accent: string;
  /** Text on `accent`. */
  onAccent: string;
  /** The text of error messages, and behind it. */
  danger: string;
  dangerSurface: string;
  /** The text of messages of success, and behind it. */
  success: string;
  successSurface: string;
}

/** How the pages look: `_loginTheme` of an app selects a theme by its name. */
export interface Theme {
  light: Palette;
  dark: Palette;
  /** Fonts that the user's device has; the pages load none. */
  font: string;
  headingFont: string;
  /** Of the card; fields and buttons have half of it. A CSS length. */
  radius: string;
}

export const SANS = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',Arial,sans-serif";
export const SERIF = "'Iowan Old Style','Palatino Linotype',Georgia,'Liberation Serif',serif";
