import type { IndexPlan } from '@dtplatform/mongo';

/** One record per namespace, user and resource pattern. The second index finds a user's namespaces. */
export const indexes: IndexPlan = {
  permissions: [
    {
      name: 'identity',
      key: { _namespace: 1, '_user._type': 1, '_user._id': 1, '_resourceDesc._irn': 1 },
      unique: true,
    },
    { name: 'namespaces_of_user', key: { '_user._id': 1, '_user._type': 1, _namespace: 1 } },
  ],
};
