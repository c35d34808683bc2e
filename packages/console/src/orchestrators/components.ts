import type { Schemas } from '@dtplatform/sdk';
import { useCall } from '../frame';
import type { ComponentSchema } from './parameters';

export type Component = Schemas['Component'];

/** The components that steps can name. */
export const useComponents = () =>
  useCall('datasourcesvc.components.list', { query: { _pageSize: 1000 } }, { refreshMs: false });

/** The schema of the parameters of a component; that of any parameters if nobody serves it. */
export const schemaOf = (components: Component[], name: string): ComponentSchema =>
  components.find((component) => component.name === name)?.parameters ?? {};
