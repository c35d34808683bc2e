export { signInAsBrowser } from './browser.js';
export { createCaller, type Caller, UnexpectedAnswer } from './caller.js';
export { clientCredentials, signIn } from './sign-in.js';
export { FILES, FILESTORE, ITEMS, METRICS, ORCHESTRATORS, type Page, PERMISSIONS, RUNS } from './paths.js';
