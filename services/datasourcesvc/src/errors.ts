import { defineErrors } from '@dtplatform/errors';

/** What may be wrong with an orchestrator, and why a step fails; the messages of the latter show as `_statusmsg`. */
export const errors = defineErrors({
  nameTaken: { status: 400, message: 'An orchestrator of the namespace has this name already.' },
  namespaceNotListed: { status: 400, message: 'The namespace of the call must be among _namespaces.' },
  unknownComponent: { status: 400, message: 'There is no component of this name.' },
  schedulesNotSupported: { status: 400, message: 'Orchestrators of class SCHEDULED are not supported yet.' },
  unknownStep: { status: 400, message: 'The orchestrator has no such step.' },
  tooManyQueued: { status: 429, message: 'Too many runs of the namespace are queued.' },
  runEnded: { status: 409, message: 'The run has ended already.' },
  badStepParameters: { status: 400, message: 'The parameters of the step are not valid.' },
  graphicsFileMissing: { status: 404, message: 'A file is missing in the namespace of the run.' },
  graphicsFileNotLoaded: { status: 502, message: 'A graphics file could not be loaded.' },
});
