import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Route } from '../routes.js';
import type { PageContent } from './page-content.js';

const require = createRequire(import.meta.url);

const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>dtplatform API reference</title>
<link rel="stylesheet" href="./swagger-ui.css">
<link rel="icon" type="image/png" href="./favicon-32x32.png">
<body>
<div id="swagger-ui"></div>
<script src="./swagger-ui-bundle.js"></script>
<script src="./swagger-ui-standalone-preset.js"></script>
<script src="./start.js"></script>
</body>
</html>
`;

/** `/docs/`: the API reference of all services, with a list to choose one from. */
export function docsPages(routes: readonly Route[]): Record<string, PageContent> {
  const folder = path.dirname(require.resolve('swagger-ui-dist/package.json'));
  const assets = Object.entries(ASSETS).map(([name, type]): [string, PageContent] => [
    `/docs/${name}`,
    { type, body: () => readFileSync(path.join(folder, name)) },
  ]);
  return {
    '/docs/': { type: 'text/html; charset=utf-8', body: () => PAGE },
    '/docs/start.js': { type: 'text/javascript; charset=utf-8', body: () => startScript(routes) },
    ...Object.fromEntries(assets),
  };
}

function startScript(routes: readonly Route[]): string {
  const byUrl = new Map(routes.map(({ openApi, service }) => [openApi, { url: openApi, name: service }]));
  const urls = [{ url: '/openapi.json', name: 'all services' }, ...byUrl.values()];
  // By default Swagger UI asks a public server whether the description is valid.
  const options = { urls, dom_id: '#swagger-ui', deepLinking: true, layout: 'StandaloneLayout', validatorUrl: null };
  return `window.ui = SwaggerUIBundle({
  ...${JSON.stringify(options)},
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
});
`;
}
