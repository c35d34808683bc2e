import type { Author } from '@dtplatform/contracts';

/** What every write sets in the metadata of a workspace or user group. */
export const touched = ({ id, name }: Author) => ({
  '_metadata._updatedAt': Date.now(),
  '_metadata._updatedById': id,
  '_metadata._updatedByName': name,
});
