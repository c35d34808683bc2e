export { FileSummary, FileSummaryPage, GRAPHICS_TAG } from './files.js';
export { Metadata, Namespace, ResourceId } from './names.js';
export {
  accessKeys,
  Action,
  ActionOrAll,
  ACTIONS,
  Grant,
  GrantsReply,
  GrantsRequest,
  IrnPattern,
  NamespacesReply,
  NamespacesRequest,
  PermissionEntry,
  Subject,
  SubjectType,
} from './permissions.js';
export { AsyncTask, TaskStatus } from './tasks.js';
export { UsageRecorded, usageRecorded } from './usage.js';
