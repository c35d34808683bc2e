import type { MessageKey } from './messages/en';

/** The pages of a workspace, in the order of its navigation. */
export const SECTIONS: { path: string; title: MessageKey }[] = [
  { path: '', title: 'workspaces.overview' },
  { path: '/files', title: 'files.title' },
  { path: '/items', title: 'items.title' },
  { path: '/telemetry', title: 'telemetry.title' },
  { path: '/orchestrators', title: 'orchestrators.title' },
  { path: '/tasks', title: 'tasks.title' },
  { path: '/graphics', title: 'graphics.title' },
  { path: '/metrics', title: 'metrics.title' },
  { path: '/groups', title: 'groups.title' },
  { path: '/access', title: 'access.title' },
];

/** The pages for administrators, in the order of their navigation. */
export const ADMINISTRATION = [
  { path: '/administration/users', title: 'users.title' },
  { path: '/administration/apps', title: 'apps.title' },
  { path: '/administration/organizations', title: 'organizations.title' },
  { path: '/administration/scim', title: 'scim.title' },
  { path: '/administration/keys', title: 'keys.title' },
  { path: '/administration/mails', title: 'mails.title' },
  { path: '/administration/queues', title: 'queues.title' },
  { path: '/administration/health', title: 'health.title' },
  { path: '/administration/audit', title: 'audit.title' },
] as const;
