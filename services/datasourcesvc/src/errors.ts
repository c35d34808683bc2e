import { defineErrors } from '@dtplatform/errors';

/** Errors of requests and steps. The message of a step's error is shown as `_statusmsg`. */
export const errors = defineErrors({
  nameTaken: {
    status: 400,
    message: 'An orchestrator in the namespace already has this name.',
    remedy: 'Choose another `_name`.',
  },
  namespaceNotListed: {
    status: 400,
    message: 'nsfilter must be one of the _namespaces of the orchestrator.',
    remedy: 'Add the value of `nsfilter` to `_namespaces`, or use another `nsfilter`.',
  },
  unknownComponent: {
    status: 400,
    message: 'There is no component with this name.',
    remedy: 'List the components and use one of their names.',
  },
  unknownProfile: {
    status: 400,
    message: '_permissionprofileid must be a permission profile that belongs to all _namespaces of the orchestrator.',
    remedy: 'Create the profile in all of these namespaces, or choose another one.',
  },
  scheduleMissing: {
    status: 400,
    message: 'An orchestrator of class SCHEDULED requires an _orchschedule.',
    remedy: 'Send `_orchschedule`, or another `_class`.',
  },
  scheduleNotAllowed: {
    status: 400,
    message: 'Only an orchestrator of class SCHEDULED can have an _orchschedule.',
    remedy: 'Omit `_orchschedule`, or send the class SCHEDULED.',
  },
  tooManySchedules: {
    status: 400,
    message: 'A namespace can have at most 100 orchestrators of class SCHEDULED.',
    remedy: 'Delete schedules, or use another namespace.',
  },
  ownerMayNotRun: {
    status: 403,
    message: 'The owner of the schedule is not allowed to run the orchestrator.',
    remedy: 'Grant RUN to the owner of the schedule, or become its owner by changing what it runs.',
  },
  unknownStep: { status: 400, message: 'The orchestrator has no such step.', remedy: 'Use the names in `orchsteps`.' },
  parametersTooLarge: {
    status: 400,
    message: 'Together, the parameters of the steps exceed 4 MiB.',
    remedy: 'Put large values into a file and pass its id.',
  },
  tooManyQueued: {
    status: 429,
    message: 'Too many runs are queued in the namespace.',
    remedy: 'Wait until some of these runs have ended, then try again.',
  },
  runEnded: { status: 409, message: 'The run has already ended.', remedy: 'None: read the state of the run.' },
  runNotFailed: {
    status: 409,
    message: 'Only a run that ended as ERROR or CANCELLED can be retried.',
    remedy: 'Start the orchestrator again instead.',
  },
  retriedTooOften: {
    status: 409,
    message: 'The run was retried too many times. Run the orchestrator again.',
    remedy: 'Fix the cause, then start the orchestrator again.',
  },
  orchestratorDeleted: {
    status: 409,
    message: 'The orchestrator was deleted, or no longer belongs to the namespace of the run.',
    remedy: 'Create the orchestrator again.',
  },
  profileTakenAway: {
    status: 409,
    message: 'The orchestrator no longer uses the permission profile of the run. Run the orchestrator again.',
    remedy: 'Start the orchestrator again.',
  },
  badStepParameters: {
    status: 400,
    message: 'The parameters of the step are not valid.',
    remedy: 'Compare the parameters with the schema of the component.',
  },
  componentNameTaken: {
    status: 400,
    message: 'A built-in component already has this name.',
    remedy: 'Choose another name.',
  },
  badComponentSchema: {
    status: 400,
    message: 'The parameters must be a self-contained JSON Schema of draft 2020-12.',
    remedy: 'Inline what `$ref` points to, and validate the schema against draft 2020-12.',
  },
  componentFailed: {
    status: 502,
    message: 'The step failed.',
    remedy: 'Check the log of the worker that serves the component.',
  },
  callEnded: {
    status: 409,
    message: 'The call has ended, another worker has claimed it, or the run no longer waits for it.',
    remedy: 'Stop working on the step.',
  },
  graphicsFileMissing: {
    status: 404,
    message: 'A file does not exist in the namespace of the run, or the run has no permission to read it.',
    remedy: 'Grant READ on the file to whoever starts the run, or to its permission profile.',
  },
  graphicsFileNotLoaded: {
    status: 502,
    message: 'A graphics file could not be loaded.',
    remedy: 'Check the state of the file in its file set: it contains the reason.',
  },
  urlRefused: {
    status: 400,
    message: 'The platform is not allowed to call the URL.',
    remedy: 'Use a public HTTPS address, or ask the operator to allow it (`EGRESS_ALLOW`).',
  },
  urlNotReached: {
    status: 502,
    message: 'The URL could not be called.',
    remedy: 'Check that the server is running and that the platform can reach it.',
  },
  urlAnsweredError: {
    status: 502,
    message: 'The URL responded with an error.',
    remedy: 'Check the log of that server.',
  },
  scriptMissing: {
    status: 404,
    message: 'The script does not exist in the namespace of the run, or the run has no permission to read it.',
    remedy:
      'Create the script in the namespace, and grant READ on it to whoever starts the run, or to its permission profile.',
  },
  scriptAmbiguous: {
    status: 400,
    message: 'Several scripts in the namespace of the run have this name and user type.',
    remedy: 'Give one of the scripts another name or user type.',
  },
  scriptIsNoText: {
    status: 400,
    message: 'The _userData of the script is not text.',
    remedy: 'Store the source of the script as a string in `_userData`.',
  },
  scriptFailed: {
    status: 400,
    message: 'The script failed.',
    remedy: 'Read `_statusmsg` of the step: it contains the error message of the script.',
  },
  importFileMissing: {
    status: 404,
    message: 'The file does not exist in the namespace of the run, or the run has no permission to read it.',
    remedy: 'Grant READ on the file to whoever starts the run, or to its permission profile.',
  },
  fileIsEncoded: {
    status: 400,
    message: 'The file is compressed; only plain files can be imported.',
    remedy: 'Upload the file without `Content-Encoding`.',
  },
  fileIsUtf16: {
    status: 400,
    message: 'The file is in UTF-16; only UTF-8 can be imported.',
    remedy: 'Save the file in UTF-8 and upload it again.',
  },
  fileChanged: {
    status: 409,
    message: 'The file has changed since the import began.',
    remedy: 'Start the import again.',
  },
  collectionMissing: {
    status: 404,
    message: 'The collection does not exist in the namespace of the run, or the run has no permission to add to it.',
    remedy: 'Grant CREATE on the collection to whoever starts the run, or to its permission profile.',
  },
  badRow: {
    status: 400,
    message: 'A row of the file cannot be imported.',
    remedy: 'Fix the row that `_statusmsg` names, upload the file again and start a new run.',
  },
});
