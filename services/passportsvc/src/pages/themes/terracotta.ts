import { SANS, SERIF } from './theme.js';
import type { Theme } from './theme.js';

export const terracotta: Theme = {
  light: {
    page: '#f6f0e9',
    card: '#fffdfa',
    text: '#2c211a',
    muted: '#6b5a4e',
    border: '#948172',
    line: '#e8dccf',
    accent: '#9a3d1b',
    onAccent: '#ffffff',
    danger: '#a01237',
    dangerSurface: '#fceef1',
    success: '#3d5f16',
    successSurface: '#f1f6e7',
  },
  dark: {
    page: '#17110e',
    card: '#221a16',
    text: '#f6ece4',
    muted: '#c0ae9f',
    border: '#8b7869',
    line: '#3a2d26',
    accent: '#f3a582',
    onAccent: '#2c1207',
    danger: '#ffb1be',
    dangerSurface: '#40161f',
    success: '#bcd892',
    successSurface: '#263313',
  },
  font: SANS,
  headingFont: SERIF,
  radius: '0.375rem',
};
