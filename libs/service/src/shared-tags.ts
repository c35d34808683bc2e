/** What the operations that several services have are about, for `tags` of their API. */
export const sharedTags = {
  permissions: 'Permissions on the resources of this service.',
  usage: 'What the service holds, for the metrics of the platform.',
};
