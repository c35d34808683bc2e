import { defineModel, id, text } from '@dtplatform/mongo';

/** Reserves a short name in a namespace, from the moment in which a configuration is accepted. */
export interface TakenName {
  /** `<namespace>/<short name>` */
  _id: string;
  configId: string;
  taskId: string;
}

export const takenNameModel = defineModel<TakenName>(
  'telemetry_config_names',
  {
    _id: id,
    configId: text,
    taskId: text,
  },
  { indexes: [{ key: { configId: 1 }, name: 'config' }] },
);
