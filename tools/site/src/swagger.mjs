/** Swagger UI at /docs/swagger/, which can send calls. */
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { dist, root } from './files.mjs';

const package_ = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'favicon-32x32.png'];

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

export function addSwagger() {
  const folder = join(dist, 'swagger');
  mkdirSync(folder, { recursive: true });
  for (const name of ASSETS) cpSync(join(package_, name), join(folder, name));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'start.js'), startScript());
}

function startScript() {
  const services = readdirSync(join(root, 'services'));
  const own = services.map((name) => ({ url: `/${name}/api/v1/openapi.json`, name }));
  const urls = [{ url: '/openapi.json', name: 'all services' }, ...own];
  // By default Swagger UI asks a public server to validate the description.
  const options = { urls, dom_id: '#swagger-ui', deepLinking: true, layout: 'StandaloneLayout', validatorUrl: null };
  return `window.ui = SwaggerUIBundle({
  ...${JSON.stringify(options)},
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  // A mistyped name is an error that suggests the right one.
  requestInterceptor: (request) => {
    if (!request.loadSpec) request.headers = { Prefer: 'handling=strict', ...request.headers };
    return request;
  },
});
`;
}
