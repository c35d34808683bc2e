import { defineModel, id } from '@dtplatform/mongo';

/** A namespace of a deleted workspace: usage there is no longer added (docs/adr/0049). */
export interface ClosedNamespace {
  /** The namespace. */
  _id: string;
  closedAt: Date;
}

export const closedNamespaceModel = defineModel<ClosedNamespace>('closed_namespaces', { _id: id, closedAt: Date });
