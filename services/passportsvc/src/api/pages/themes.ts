const LIGHT = { background: '#eef1f5', surface: '#ffffff', text: '#1c2733', accent: '#0b63c5', accentText: '#ffffff' };

/** Colours of the pages. An app selects its theme by `_loginTheme`. */
const THEMES = new Map([
  ['light', LIGHT],
  ['dark', { background: '#11161c', surface: '#1c242e', text: '#e8edf3', accent: '#5aa2f5', accentText: '#0b1219' }],
  [
    'contrast',
    { background: '#000000', surface: '#000000', text: '#ffffff', accent: '#ffff00', accentText: '#000000' },
  ],
]);

/** The style sheet of a theme; that of the light theme if the name is unknown. */
export function styleSheet(themeName: string | undefined): string {
  const colours = THEMES.get(themeName ?? '') ?? LIGHT;
  return `
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;font:1rem/1.5 system-ui,sans-serif;
background:${colours.background};color:${colours.text}}
main{width:100%;max-width:24rem;padding:2rem;border-radius:.5rem;border:1px solid ${colours.accent}33;background:${colours.surface}}
h1{margin:0 0 1rem;font-size:1.4rem}
label{display:block;margin:1rem 0 .25rem}
input{width:100%;padding:.6rem;font:inherit;color:inherit;background:transparent;border:1px solid currentColor;border-radius:.25rem}
button{width:100%;margin-top:1.5rem;padding:.7rem;font:inherit;font-weight:600;border:0;border-radius:.25rem;cursor:pointer;
background:${colours.accent};color:${colours.accentText}}
button.secondary{margin-top:.75rem;border:1px solid currentColor;background:transparent;color:inherit}
dt{margin-top:.75rem;font-size:.875rem}
dd{margin:0;overflow-wrap:anywhere}
a{color:${colours.accent}}
input:focus-visible,button:focus-visible,a:focus-visible{outline:3px solid ${colours.accent};outline-offset:2px}
.problem{margin:0 0 1rem;padding:.6rem;border-left:4px solid #d33a2c}`;
}
