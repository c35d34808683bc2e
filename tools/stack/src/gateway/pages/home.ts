import type { Route } from '../routes.js';
import type { PageContent } from './page-content.js';

/** `/`: what is running here and where to continue. */
export const homePage = (routes: readonly Route[]): PageContent => ({
  type: 'text/html; charset=utf-8',
  body: () => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>dtplatform</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; color: #1d2733 }
  code { background: #eef1f5; padding: .1em .3em; border-radius: 3px }
  td { padding: .15rem 1.5rem .15rem 0 }
</style>
<h1>dtplatform</h1>
<p>The platform is running. Start with the <a href="/docs/">API reference of all services</a>.</p>
<table>
${routes.map(row).join('\n')}
</table>
<p>The bootstrap application, the administrator and their secrets are in <code>.dtplatform/dev.json</code>.</p>
</html>
`,
});

const row = ({ prefix, service, openApi, upstreamPort }: Route): string =>
  `<tr><td><code>${prefix}</code><td>${service}<td>${upstreamPort() === undefined ? 'is starting' : `<a href="${openApi}">openapi.json</a>`}`;
