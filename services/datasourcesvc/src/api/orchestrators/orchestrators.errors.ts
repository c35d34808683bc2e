import { errors } from '../../errors.js';

/** Why an orchestrator is not stored. */
export const unstorable = [
  errors.nameTaken,
  errors.namespaceNotListed,
  errors.unknownComponent,
  errors.badStepParameters,
  errors.unknownProfile,
  errors.scheduleMissing,
  errors.scheduleNotAllowed,
  errors.tooManySchedules,
  errors.ownerMayNotRun,
];
/** Why an orchestrator is not run. */
export const unrunnable = [
  errors.namespaceNotListed,
  errors.unknownStep,
  errors.unknownComponent,
  errors.badStepParameters,
  errors.parametersTooLarge,
  errors.tooManyQueued,
];
