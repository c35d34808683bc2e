import { defineModel, id, number } from '@dtplatform/mongo';

/** Changes with every write that takes an owner of the namespace away, so that such writes happen one after the other. */
export interface NamespaceOwners {
  /** The namespace. */
  _id: string;
  _revision: number;
}

export const namespaceOwnersModel = defineModel<NamespaceOwners>('namespace_owners', { _id: id, _revision: number });
