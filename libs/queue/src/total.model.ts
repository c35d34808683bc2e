import { defineModel, id, number, text } from '@dtplatform/mongo';

/** How many of one thing a namespace holds, as far as the relay has folded it. */
export interface TotalDocument {
  /** `<namespace>/<key>` */
  _id: string;
  namespace: string;
  key: string;
  amount: number;
}

export const totalId = (namespace: string, key: string): string => `${namespace}/${key}`;

export const totalModel = defineModel<TotalDocument>('totals', {
  _id: id,
  namespace: text,
  key: text,
  amount: number,
});
