import { defineModel, id, text } from '@dtplatform/mongo';

/** Holds the id of the first organization, so that concurrent first starts agree on one. */
interface BootstrapMark {
  _id: string;
  orgId: string;
}

export const bootstrapMarkModel = defineModel<BootstrapMark>('bootstrap', { _id: id, orgId: text });
