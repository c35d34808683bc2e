import { defineModel, flag, id, text } from '@dtplatform/mongo';

/** A component that another process serves. */
export interface StoredComponent {
  /** Its name. */
  _id: string;
  description: string;
  mayRunAgain: boolean;
  /** The JSON Schema as text: its keywords begin with `$`. */
  parametersText: string;
}

export const registeredComponentModel = defineModel<StoredComponent>('components', {
  _id: id,
  description: text,
  mayRunAgain: flag,
  parametersText: text,
});
