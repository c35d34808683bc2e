export { serveComponent } from './serve-component.js';
export type { ServeOptions } from './serve-component.js';
export type { CallContext, ServedComponent } from './served-component.js';
