export { BACKUP_LEASE, objectsOfVersion, RESTART_UPLOADS, StoredVersion } from './backup.js';
export type { NamedObject } from './backup.js';
export {
  CallId,
  CallReport,
  ClaimedCall,
  componentCall,
  ComponentName,
  componentQueue,
  ComponentRegistration,
  MAX_RESULT_CHARS,
} from './components.js';
export { cutText, shownText } from './cut-text.js';
export { FileSummary, FileSummaryPage, GRAPHICS_TAG } from './files.js';
export { JsonRejected, NotJson, problemOfText, rejectUnstorable } from './json/json-rejected.js';
export { isKeptExactly } from './json/json-walk.js';
export { parseJson } from './json/parse-json.js';
export { createdBy, touchedBy } from './metadata.js';
export type { Author } from './metadata.js';
export {
  Attributes,
  fewNamespaces,
  hasPathCharacters,
  MAX_NAMESPACES,
  Metadata,
  Namespace,
  PATH_CHARACTERS,
  printable,
  ResourceId,
  Text,
} from './names.js';
export { pageOf } from './page.js';
export type { Listing, Paging } from './page.js';
export {
  accessKeys,
  Action,
  ActionOrAll,
  ACTIONS,
  CloseResponse,
  CloseRequest,
  Grant,
  GrantsResponse,
  GrantsRequest,
  GroupMembers,
  IrnPattern,
  MAX_GROUP_MEMBERS,
  MAX_PERMISSION_ENTRIES,
  NamespacesResponse,
  NamespacesRequest,
  PermissionEntry,
  permissionProfileIrn,
  RemovedProfile,
  ResourceDesc,
  Subject,
  SubjectType,
} from './permissions.js';
export type { Criteria } from './permissions.js';
export { matchesPrecondition } from './revision.js';
export type { Precondition, Revised } from './revision.js';
export { AsyncTask, TaskStatus } from './tasks.js';
export { isoToMs } from './times.js';
export { LAST_OWNER, UsageRecount, UsageRecountQuery } from './usage-recount.js';
export { usageBatch, UsageChange, UsageRecorded, usageRecorded } from './usage.js';
export type { UsageBatch } from './usage.js';
export { WORKSPACE_DELETED_QUEUES, WorkspaceDeleted, workspaceDeleted } from './workspaces.js';
