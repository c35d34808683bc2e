import { defineErrors } from '@dtplatform/errors';

export const errors = defineErrors({
  namespaceMismatch: {
    status: 400,
    message: 'nsfilter is not among the namespaces.',
    remedy: 'Add the namespace of `nsfilter` to `_namespaces`.',
  },
  nameTaken: {
    status: 400,
    message: 'The name is taken in this folder and namespace.',
    remedy: 'Choose another name or folder.',
  },
  unknownParent: {
    status: 400,
    message: 'A parent must be a folder in all of the namespaces.',
    remedy: 'Check the ids in `_parents`. A folder that is being deleted does not accept anything either.',
  },
  tooDeep: {
    status: 400,
    message: 'The folder is nested too deeply.',
    remedy: 'Put it into a folder nearer to the root.',
  },
  fileNotFound: {
    status: 400,
    message: 'File Not Found.',
    remedy: 'Check the id and the namespace; `files.update` answers with this instead of a 404.',
  },
  invalidPattern: {
    status: 400,
    message: 'The pattern of the name is not a valid regular expression.',
    remedy: 'Write the pattern in RE2 syntax.',
  },
  patternTooSlow: {
    status: 400,
    message: 'The query takes too long. Narrow it down.',
    remedy: 'Add other filters, such as `_parents` or `_tags`.',
  },
  lastVersion: {
    status: 400,
    message: 'The only version of a file cannot be deleted. Delete the file.',
    remedy: 'Delete the file.',
  },
  folderCycle: {
    status: 400,
    message: 'A folder cannot be moved into itself or into a folder below it.',
    remedy: 'Choose a folder outside of the one that is moved.',
  },
  folderTooLarge: {
    status: 400,
    message: 'The folder contains more than 1000 files or 250 folders. Move them in parts.',
    remedy: 'Move what is in the folder in several calls.',
  },
  folderNotEmpty: {
    status: 400,
    message: 'Something below the folder is still in the namespace.',
    remedy:
      'Take out or delete what is below it in the namespace first; one call of `DELETE /files?_ids=` may name both.',
  },
  folderMoved: {
    status: 409,
    message: 'The file or a folder above it was moved at the same time. Try again.',
    remedy: 'Repeat the call.',
  },

  brokenForm: {
    status: 400,
    message: 'The body is not a valid multipart form.',
    remedy: 'Let your HTTP library write the form, with its boundary.',
  },
  formLimit: {
    status: 400,
    message: 'The form has too many fields, or a field is too large.',
    remedy: 'Send fewer and shorter fields.',
  },
  noFile: { status: 400, message: 'The form needs a file in a part named "file".', remedy: 'Name the part `file`.' },
  fileTooLarge: {
    status: 413,
    message: 'The file is too large.',
    remedy: 'Ask the operator to raise `MAX_FILE_BYTES`.',
  },
  uploadCut: {
    status: 400,
    message: 'The body ended too early.',
    remedy: 'Upload again, or use a resumable upload, which continues where it stopped.',
  },

  invalidChecksum: {
    status: 400,
    message: 'The checksum does not have the format that its prefix requires.',
    remedy: 'Send the digest in the format that its prefix names.',
  },
  otherChecksum: {
    status: 400,
    message: 'The checksum differs from the one that the upload was initiated with.',
    remedy: 'Send the checksum that the upload began with, or start a new upload.',
  },
  checksumMismatch: {
    status: 400,
    message: 'The content does not match the checksum. The upload starts over.',
    remedy: 'Upload the content again from the beginning.',
  },
  tooManyBytes: {
    status: 400,
    message: 'The upload has fewer bytes left than were sent.',
    remedy: 'Ask for the offset with HEAD, and send only what is left.',
  },
  wrongOffset: {
    status: 409,
    message: 'The upload is at another offset.',
    remedy: 'Ask for the offset with HEAD and continue from there.',
  },
  uploadTakenOver: {
    status: 409,
    message: 'Another request continued, restarted or removed this upload.',
    remedy: 'Stop: another client continues this upload.',
  },
  uploadRunning: {
    status: 409,
    message: 'The file is being uploaded.',
    remedy: 'Wait until the upload has ended, or cancel it.',
  },
  uploadLocked: {
    status: 423,
    message: 'Another request is sending to this upload.',
    remedy: 'Wait a few seconds, ask for the offset with HEAD and continue from there.',
  },
  unsupportedTusVersion: {
    status: 412,
    message: 'This version of the tus protocol is not supported.',
    remedy: 'Send `Tus-Resumable: 1.0.0`.',
  },
  rangeNotSatisfiable: {
    status: 416,
    message: 'The range is outside the content.',
    remedy: 'Ask for a range within the size of the file.',
  },
});
