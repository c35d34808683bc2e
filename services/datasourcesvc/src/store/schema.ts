import { defineSchema, grantMarkModel, parentLockModel } from '@dtplatform/mongo';
import { queueModels } from '@dtplatform/queue';
import { componentCallModel } from './componentcalls/component-call.model.js';
import { registeredComponentModel } from './components/registered-component.model.js';
import { orchestratorModel } from './orchestrators/orchestrator.model.js';
import { runModel } from './orchrun/run.model.js';

/** The models and migrations of this version. Append migrations, and never change one (docs/adr/0013). */
export const schema = defineSchema({
  models: [
    ...queueModels,
    parentLockModel,
    grantMarkModel,
    orchestratorModel,
    runModel,
    registeredComponentModel,
    componentCallModel,
  ],
  migrations: [],
});
