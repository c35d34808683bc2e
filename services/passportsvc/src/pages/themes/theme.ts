/**
 * Colours of a theme in one colour scheme, as `#rrggbb`. `test/themes.test.ts` checks their contrast (WCAG 2.2, 1.4.3
 * and 1.4.11): at least 4.5 for text, 3 for the borders of fields.
 */
export interface Palette {
  /** Behind the card. */
  page: string;
  card: string;
  text: string;
  /** Hints and other secondary text. */
  muted: string;
  /** Borders of fields and of secondary buttons. */
  border: string;
  /** Decorative lines, such as the card's outline. */
  line: string;
  /** Buttons, links, the logo and focus outlines. */
  accent: string;
  onAccent: string;
  danger: string;
  dangerSurface: string;
  success: string;
  successSurface: string;
}

/** The look of the pages; `_loginTheme` of an app selects a theme by name. */
export interface Theme {
  light: Palette;
  dark: Palette;
  /** Fonts of the user's device; the pages load none. */
  font: string;
  headingFont: string;
  /** Corner radius of the card, a CSS length; fields and buttons use half of it. */
  radius: string;
}

export const SANS = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',Arial,sans-serif";
export const SERIF = "'Iowan Old Style','Palatino Linotype',Georgia,'Liberation Serif',serif";
