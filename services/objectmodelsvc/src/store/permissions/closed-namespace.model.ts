import { defineModel, id } from '@dtplatform/mongo';

/** A namespace in which nobody has a permission any more, whatever records there are. */
export interface ClosedNamespace {
  /** The namespace. */
  _id: string;
  closedAt: Date;
}

export const closedNamespaceModel = defineModel<ClosedNamespace>('closed_namespaces', { _id: id, closedAt: Date });
