export { serveComponent } from './serve-component.js';
export type { ServedComponent, ServeOptions } from './serve-component.js';
export type { CallContext } from './work-on-call.js';
