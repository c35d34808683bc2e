import { fileURLToPath } from 'node:url';

const hooks = new URL('../../../libs/lifecycle/test/fixtures/register.mjs', import.meta.url);
const source = fileURLToPath(new URL('../src/previews/render-process.ts', import.meta.url));

/** Arguments of Node.js that run the renderer from its source. */
export const RENDERER = ['--conditions=source', '--no-warnings', '--import', hooks.href, source];
