import { subjectOf } from '@dtplatform/permissions';
import type { Access } from '@dtplatform/permissions';

/** Whether a caller is a user, who can be a member of groups, or an administrator, who is one as well. */
export const isUser = (principal: Access['principal']): boolean => subjectOf(principal)._type === 'user';
