export { createActions, type Action } from './actions.js';
export { callDuring } from './call-during.js';
export { createLedger, type Ledger } from './ledger.js';
export { createLoadUser, type LoadUser, USER_SCHEMA } from './load-user.js';
