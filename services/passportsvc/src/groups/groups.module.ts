import { newId } from '@dtplatform/mongo';
import type { GrantSource } from '@dtplatform/permissions';
import type { Stores } from '../stores.js';
import { createInviteMails } from './invites/invite-mails.js';
import { createInvites } from './invites/invites.js';
import type { NotificationTemplates } from './notification_templates/notification-templates.js';
import { createGroupSync } from './usergroups/group-sync.js';
import { createMembers } from './usergroups/members.js';
import { createUserGroups } from './usergroups/usergroups.js';

interface Sources {
  stores: Stores;
  grants: GrantSource;
  templates: NotificationTemplates;
  baseUrl: string;
}

export type GroupUseCases = ReturnType<typeof createGroupUseCases>;

/** Groups, their members, and invites to them. */
export function createGroupUseCases({ stores, grants, templates, baseUrl }: Sources) {
  const groupSync = createGroupSync({ ...stores, grants });
  const userGroups = createUserGroups({ ...stores, groupSync, grants, newId });
  const composeMail = createInviteMails({ templates, baseUrl });
  return {
    userGroups,
    groupSync,
    members: createMembers({ ...stores, userGroups, groupSync }),
    invites: createInvites({ ...stores, userGroups, groupSync, composeMail, newId }),
  };
}
