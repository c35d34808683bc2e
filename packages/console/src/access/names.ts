import { useText } from '../messages/text';
import type { Action } from './use-rights';

/** A resource, or several, as permissions name it: `service:type:id`. */
export interface Resource {
  irn: string;
  name: string;
}

export const ACTIONS = ['READ', 'CREATE', 'EDIT', 'DELETE', 'SHARE', 'RUN', 'ASSIGN'] as const;
const EVERYTHING = '*:*:*';

/** How actions and resources are shown. */
export function useAccessNames(resources: Resource[] = []) {
  const { text } = useText();
  return {
    actionsName: (actions: readonly Action[]) => actions.map((action) => text(`action.${action}`)).join(', '),
    resourceName: (irn: string) =>
      irn === EVERYTHING ? text('access.everything') : (resources.find((each) => each.irn === irn)?.name ?? irn),
  };
}
