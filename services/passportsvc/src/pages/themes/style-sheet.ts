/** The style of all pages, on the custom properties of a theme. Loads no scripts, images or fonts. */
export const STYLE_SHEET = `
*,*::before,*::after{box-sizing:border-box}
html{font:100%/1.6 var(--font);color:var(--text);background:var(--page);-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{display:flex;flex-direction:column;align-items:center;justify-content:center;gap:1.5rem;min-height:100vh;min-height:100dvh;
margin:0;padding:clamp(1rem,5vw,3.5rem) 1rem}
main{width:100%;max-width:27rem;padding:clamp(1.5rem,7vw,2.75rem);border:1px solid var(--line);border-radius:var(--radius);
background:var(--card);box-shadow:0 1px 2px rgb(0 0 0/.05),0 1.25rem 3rem -1.25rem rgb(0 0 0/.18)}
main.wide{max-width:44rem}
.mark{display:block;width:2.75rem;height:2.75rem;margin-bottom:1.5rem;color:var(--accent)}
h1,h2{font-family:var(--heading-font);line-height:1.25;text-wrap:balance;overflow-wrap:anywhere}
[hidden]{display:none!important}
h1 strong{font-weight:inherit}
h1{margin:0;font-size:clamp(1.375rem,6vw,1.625rem);font-weight:650;letter-spacing:-.015em}
h2{margin:0 0 .25rem;font-size:1.1875rem;font-weight:650}
p{margin:.75rem 0 0;overflow-wrap:anywhere}
h1+p,.lead{color:var(--muted)}
section{margin-top:2.25rem;padding-top:2rem;border-top:1px solid var(--line)}
form{margin-top:1.75rem}
label{display:block;margin:1.25rem 0 .4rem;font-weight:600;font-size:.9375rem}
form>label:first-of-type{margin-top:0}
.hint{margin:0 0 .4rem;font-size:.875rem;color:var(--muted)}
input{display:block;width:100%;min-height:3rem;padding:.6rem .875rem;font:inherit;color:inherit;background:transparent;
border:1px solid var(--border);border-radius:calc(var(--radius)/2)}
input[aria-invalid=true]{border-color:var(--danger);box-shadow:inset 0 0 0 1px var(--danger)}
button,.button{display:inline-flex;align-items:center;justify-content:center;width:100%;min-height:3rem;margin-top:1.75rem;padding:.6rem 1.25rem;
font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--on-accent);background:var(--accent);
border:1px solid transparent;border-radius:calc(var(--radius)/2);cursor:pointer}
button:hover,.button:hover{filter:brightness(1.08)}
button:active,.button:active{filter:brightness(.95)}
form>input[type=hidden]+button{margin-top:0}
button.secondary{color:var(--text);background:transparent;border-color:var(--border)}
button.secondary:hover{border-color:var(--accent);color:var(--accent);filter:none}
button+button{margin-top:.75rem}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:.2em}
a:hover{text-decoration-thickness:2px}
input:focus-visible,button:focus-visible,a:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
.problem,.done{margin-top:1.5rem;padding:.875rem 1rem;border-radius:calc(var(--radius)/2);border-left:4px solid currentColor}
.problem{color:var(--danger);background:var(--danger-surface)}
.done{color:var(--success);background:var(--success-surface)}
.problem p,.done p{margin:0;font-weight:500}
.more{margin-top:1.5rem;padding-top:.25rem;text-align:center;font-size:.9375rem}
dl{margin:1.75rem 0 0;border:1px solid var(--line);border-radius:calc(var(--radius)/2)}
dl>div{padding:.75rem 1rem}
dl>div+div{border-top:1px solid var(--line)}
dl+p{margin-top:1.5rem}
dt{font-size:.875rem;color:var(--muted)}
dd{margin:0;overflow-wrap:anywhere}
.rows{margin:1.25rem 0 0;padding:0;list-style:none;border:1px solid var(--line);border-radius:calc(var(--radius)/2)}
.rows>li{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem 1.25rem;padding:.875rem 1rem}
.rows>li+li{border-top:1px solid var(--line)}
.rows>li>div{flex:1 1 14rem;min-width:0;overflow-wrap:anywhere}
.rows p{margin:0;font-size:.875rem;color:var(--muted)}
.rows form{margin:0}
.rows button,.short button{width:auto;min-height:2.75rem;margin-top:0;padding:.4rem 1rem}
.short{margin-top:1.25rem}
footer{max-width:27rem;font-size:.875rem;text-align:center;color:var(--muted)}
footer p{margin:0}
@media (max-width:30rem){body{justify-content:flex-start}main{box-shadow:none}}
@media (prefers-contrast:more){:root{--border:var(--text);--line:var(--text);--muted:var(--text)}}
@media (forced-colors:active){.problem,.done{border:2px solid}}
`.trim();
