import { SANS } from './theme.js';
import type { Theme } from './theme.js';

/** Cool and plain: the default. */
export const blueprint: Theme = {
  light: {
    page: '#eef2f8',
    card: '#ffffff',
    text: '#17203a',
    muted: '#55607a',
    border: '#7d889f',
    line: '#dde3ee',
    accent: '#2450c4',
    onAccent: '#ffffff',
    danger: '#a61b1b',
    dangerSurface: '#fdf0f0',
    success: '#12633c',
    successSurface: '#ecf7f0',
  },
  dark: {
    page: '#0d1320',
    card: '#161e2e',
    text: '#e8edf8',
    muted: '#a6b1c8',
    border: '#707e9b',
    line: '#27324a',
    accent: '#8fb1ff',
    onAccent: '#0a1533',
    danger: '#ffb3ad',
    dangerSurface: '#38191c',
    success: '#8fdcb0',
    successSurface: '#12301f',
  },
  font: SANS,
  headingFont: SANS,
  radius: '1rem',
};
