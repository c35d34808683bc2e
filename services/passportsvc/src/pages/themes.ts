/** Colours of the sign-in pages. */
interface Theme {
  background: string;
  surface: string;
  text: string;
  accent: string;
  accentText: string;
}

const light: Theme = {
  background: '#eef1f5',
  surface: '#ffffff',
  text: '#1c2733',
  accent: '#0b63c5',
  accentText: '#ffffff',
};

/** The deployed themes; an app chooses one by `_loginTheme`. */
const THEMES: Partial<Record<string, Theme>> = {
  light,
  dark: { background: '#11161c', surface: '#1c242e', text: '#e8edf3', accent: '#5aa2f5', accentText: '#0b1219' },
  contrast: { background: '#000000', surface: '#000000', text: '#ffffff', accent: '#ffff00', accentText: '#000000' },
};

/** The style sheet of a theme; that of the light one when there is none of this name. */
export function styleSheet(themeName: string | undefined): string {
  const theme = (themeName !== undefined && Object.hasOwn(THEMES, themeName) && THEMES[themeName]) || light;
  return `
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;font:1rem/1.5 system-ui,sans-serif;
background:${theme.background};color:${theme.text}}
main{width:100%;max-width:24rem;padding:2rem;border-radius:.5rem;border:1px solid ${theme.accent}33;background:${theme.surface}}
h1{margin:0 0 1rem;font-size:1.4rem}
label{display:block;margin:1rem 0 .25rem}
input{width:100%;padding:.6rem;font:inherit;color:inherit;background:transparent;border:1px solid currentColor;border-radius:.25rem}
button{width:100%;margin-top:1.5rem;padding:.7rem;font:inherit;font-weight:600;border:0;border-radius:.25rem;cursor:pointer;
background:${theme.accent};color:${theme.accentText}}
input:focus-visible,button:focus-visible{outline:3px solid ${theme.accent};outline-offset:2px}
.problem{margin:0 0 1rem;padding:.6rem;border-left:4px solid #d33a2c}`;
}
