export { createActions, type Action } from './actions.js';
export { createFileSet, createOrchestrator, loadGraphics, startRun, storeFile, type Workspace } from './data.js';
export { callDuring } from './call-during.js';
export { createLedger, type Ledger } from './ledger.js';
export { createLoadUser, createWorkspace, type LoadUser, scimUser } from './load-user.js';
