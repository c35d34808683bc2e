import { createHash } from 'node:crypto';
import { blueprint } from './blueprint.js';
import { STYLE_SHEET } from './style-sheet.js';
import { terracotta } from './terracotta.js';
import type { Palette, Theme } from './theme.js';

/** Themes by name (docs/pages/README.md, "Themes"). */
export const THEMES: ReadonlyMap<string, Theme> = new Map([
  ['blueprint', blueprint],
  ['terracotta', terracotta],
]);

const DEFAULT = 'blueprint';

export interface Style {
  css: string;
  /** The style sheet's hash for the content security policy. */
  source: string;
}

const STYLES = new Map([...THEMES].map(([name, theme]) => [name, styleFrom(theme)]));

/** Falls back to the default theme. */
export const styleOf = (themeName: string | undefined): Style =>
  STYLES.get(themeName ?? DEFAULT) ?? STYLES.get(DEFAULT)!;

function styleFrom({ light, dark, font, headingFont, radius }: Theme): Style {
  const shape = `--font:${font};--heading-font:${headingFont};--radius:${radius}`;
  const css = [
    `:root{color-scheme:light dark;${shape};${properties(light)}}`,
    `@media (prefers-color-scheme:dark){:root{${properties(dark)}}}`,
    STYLE_SHEET,
  ].join('\n');
  return { css, source: `'sha256-${createHash('sha256').update(css).digest('base64')}'` };
}

/** A palette as custom properties: `onAccent` is `--on-accent`. */
function properties(palette: Palette): string {
  const nameOf = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return Object.entries(palette)
    .map(([key, colour]) => `--${nameOf(key)}:${colour}`)
    .join(';');
}
