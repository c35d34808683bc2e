/** For a server without routes, such as a gateway. Loads nothing of those. */
export { endWithError, errorReply } from './error-reply.js';
export { refuseNonHttp, requireHost } from './refuse-non-http.js';
export { requestIdOf } from './request-id.js';
