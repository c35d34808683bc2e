import { defineErrors } from '@dtplatform/errors';

/** Errors of requests and of steps; callers see the message of a step's error as `_statusmsg`. */
export const errors = defineErrors({
  nameTaken: { status: 400, message: 'An orchestrator in the namespace already has this name.' },
  namespaceNotListed: { status: 400, message: 'nsfilter must be one of the _namespaces of the orchestrator.' },
  unknownComponent: { status: 400, message: 'There is no component of this name.' },
  unknownProfile: {
    status: 400,
    message: '_permissionprofileid must be a permission profile that belongs to all _namespaces of the orchestrator.',
  },
  scheduleMissing: { status: 400, message: 'An orchestrator of class SCHEDULED needs an _orchschedule.' },
  scheduleNotAllowed: { status: 400, message: 'Only an orchestrator of class SCHEDULED has an _orchschedule.' },
  tooManySchedules: { status: 400, message: 'A namespace has at most 100 orchestrators of class SCHEDULED.' },
  ownerMayNotRun: { status: 403, message: 'The owner of the schedule may not run the orchestrator.' },
  unknownStep: { status: 400, message: 'The orchestrator has no such step.' },
  parametersTooLarge: { status: 400, message: 'The parameters of all steps of the run are larger than 4 MiB.' },
  tooManyQueued: { status: 429, message: 'Too many runs are queued in the namespace.' },
  runEnded: { status: 409, message: 'The run has already ended.' },
  runNotFailed: { status: 409, message: 'Only a run that ended as ERROR or CANCELLED can be retried.' },
  retriedTooOften: { status: 409, message: 'The run was retried too often. Run the orchestrator again.' },
  orchestratorDeleted: {
    status: 409,
    message: 'The orchestrator of the run was deleted, or has left the namespace of the run.',
  },
  profileTakenAway: {
    status: 409,
    message: 'The orchestrator no longer has the permission profile of the run. Run the orchestrator again.',
  },
  badStepParameters: { status: 400, message: 'The parameters of the step are not valid.' },
  componentNameTaken: { status: 400, message: 'The service itself has a component of this name.' },
  badComponentSchema: {
    status: 400,
    message: 'The parameters must be a self-contained JSON Schema of draft 2020-12.',
  },
  componentFailed: { status: 502, message: 'The step failed.' },
  callEnded: {
    status: 409,
    message: 'The call has ended, another worker holds it, or its run no longer waits for it.',
  },
  graphicsFileMissing: {
    status: 404,
    message:
      'A file does not exist in the namespace of the run, or the starter or permission profile of the run may not read it.',
  },
  graphicsFileNotLoaded: { status: 502, message: 'A graphics file could not be loaded.' },
  urlRefused: { status: 400, message: 'The URL may not be called.' },
  urlNotReached: { status: 502, message: 'The URL could not be called.' },
  urlAnsweredError: { status: 502, message: 'The URL answered with an error.' },
  scriptMissing: {
    status: 404,
    message:
      'There is no such script in the namespace of the run, or the starter or permission profile of the run may not read it.',
  },
  scriptAmbiguous: {
    status: 400,
    message: 'Several scripts in the namespace of the run have this name and user type.',
  },
  scriptIsNoText: { status: 400, message: 'The _userData of the script is not text.' },
  scriptFailed: { status: 400, message: 'The script failed.' },
  importFileMissing: {
    status: 404,
    message:
      'The file does not exist in the namespace of the run, or the starter or permission profile of the run may not read it.',
  },
  fileIsEncoded: { status: 400, message: 'The file is compressed; only plain files can be imported.' },
  fileIsUtf16: { status: 400, message: 'The file is in UTF-16; only UTF-8 can be imported.' },
  fileChanged: { status: 409, message: 'The file has changed since its import began.' },
  collectionMissing: {
    status: 404,
    message:
      'The collection does not exist in the namespace of the run, or the starter or permission profile of the run may not add to it.',
  },
  badRow: { status: 400, message: 'A row of the file cannot be imported.' },
});
