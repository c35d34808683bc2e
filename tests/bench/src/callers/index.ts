export { createActions, type Action } from './actions.js';
export { callDuring } from './call-during.js';
export { createLedger, type Ledger } from './ledger.js';
export { createLoadUser, createWorkspace, type LoadUser, scimUser } from './load-user.js';
