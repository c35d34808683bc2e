export { signInAsBrowser } from './browser.js';
export { createCaller, type Caller } from './caller.js';
export { clientCredentials, signIn } from './sign-in.js';
