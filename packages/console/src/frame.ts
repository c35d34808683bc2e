/** The hooks and helpers of pages. */
export { useCall, useChange, useChanges, useNamespace, callOptions } from './calls';
export { useParameter } from './address';
export { useJson, printed, reprinted, problemOf } from './json';
export { useText } from './messages/text';
export { useRights } from './access/use-rights';
export { useGo, useId, usePlaceOf } from './ui/page-link';
export { client } from './session';
