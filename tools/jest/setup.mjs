import { register as registerHooks } from 'node:module';
import { register as registerTypeScript } from 'tsx/esm/api';

/** Once per process that runs tests: Node.js loads the TypeScript sources itself. */
registerTypeScript();
registerHooks('./resolve.mjs', import.meta.url);
