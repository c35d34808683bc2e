import { describe, expect, it } from '@jest/globals';
import { THEMES } from '../src/pages/themes/themes.js';

/** WCAG 2.2, "relative luminance" and "contrast ratio". */
function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5]
    .map((start) => parseInt(colour.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

const palettes = [...THEMES].flatMap(([name, { light, dark }]) => [
  { name, scheme: 'light', palette: light },
  { name, scheme: 'dark', palette: dark },
]);

describe.each(palettes)('theme $name, $scheme', ({ palette }) => {
  it('has colours as #rrggbb', () => {
    for (const colour of Object.values(palette)) expect(colour).toMatch(/^#[0-9a-f]{6}$/);
  });

  it.each([
    ['text', 'card', 4.5],
    ['text', 'page', 4.5],
    ['muted', 'card', 4.5],
    ['muted', 'page', 4.5],
    ['accent', 'card', 4.5],
    ['onAccent', 'accent', 4.5],
    ['danger', 'dangerSurface', 4.5],
    ['success', 'successSurface', 4.5],
    ['border', 'card', 3],
    ['danger', 'card', 3],
  ] as const)('has enough contrast of %s on %s', (front, back, least) => {
    expect(contrast(palette[front], palette[back])).toBeGreaterThanOrEqual(least);
  });
});
