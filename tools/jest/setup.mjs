import { register as registerHooks } from 'node:module';
import { register as registerTypeScript } from 'tsx/esm/api';

/** Once per process that runs tests: Node.js loads the TypeScript sources itself. */
registerTypeScript();
registerHooks('./resolve.mjs', import.meta.url);
// jest-light-runner does not end its processes; an open handle would keep them.
if (process.send) process.once('disconnect', () => process.exit());
