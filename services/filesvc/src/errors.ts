import { defineErrors } from '@dtplatform/errors';

export const errors = defineErrors({
  namespaceMismatch: {
    status: 400,
    message: 'nsfilter must be one of the namespaces.',
    remedy: 'Add the value of `nsfilter` to `_namespaces`.',
  },
  nameTaken: {
    status: 400,
    message: 'The name is taken in this folder and namespace.',
    remedy: 'Choose another name or folder.',
  },
  unknownParent: {
    status: 400,
    message: 'Each parent must be a folder in all of the namespaces.',
    remedy: 'Check the ids in `_parents`. Folders that are being deleted are not accepted.',
  },
  tooDeep: {
    status: 400,
    message: 'The folder is nested too deeply.',
    remedy: 'Choose a folder closer to the root.',
  },
  fileNotFound: {
    status: 400,
    message: 'File Not Found.',
    remedy: 'Check the id and the namespace; `files.update` returns this error instead of a 404.',
  },
  invalidPattern: {
    status: 400,
    message: 'The name pattern is not a valid regular expression.',
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
    remedy: 'Choose a folder outside the one being moved.',
  },
  folderTooLarge: {
    status: 400,
    message: 'The folder contains more than 1000 files or 250 folders. Move its contents in parts.',
    remedy: 'Move the contents of the folder in several calls.',
  },
  folderNotEmpty: {
    status: 400,
    message: 'The folder still has contents in the namespace.',
    remedy:
      'Remove its contents from the namespace first, or include their ids in the same `DELETE /files?_ids=` call.',
  },
  folderMoved: {
    status: 409,
    message: 'The file or a folder above it was moved at the same time. Try again.',
    remedy: 'Retry the call.',
  },

  brokenForm: {
    status: 400,
    message: 'The body is not a valid multipart form.',
    remedy: 'Let your HTTP library generate the form, including the boundary.',
  },
  formLimit: {
    status: 400,
    message: 'The form has too many fields, or a field is too large.',
    remedy: 'Send fewer and shorter fields.',
  },
  noFile: {
    status: 400,
    message: 'The form must contain a file in a part named "file".',
    remedy: 'Name the part `file`.',
  },
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
    remedy: 'Send the digest in the format that its prefix requires.',
  },
  otherChecksum: {
    status: 400,
    message: 'The checksum differs from the one that the upload was started with.',
    remedy: 'Send the original checksum, or start a new upload.',
  },
  checksumMismatch: {
    status: 400,
    message: 'The content does not match the checksum. The upload starts over.',
    remedy: 'Upload the content again from the beginning.',
  },
  tooManyBytes: {
    status: 400,
    message: 'More bytes were sent than the upload has left.',
    remedy: 'Get the offset with HEAD, and send only the remaining bytes.',
  },
  wrongOffset: {
    status: 409,
    message: 'The upload is at a different offset.',
    remedy: 'Get the offset with HEAD and continue from there.',
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
    message: 'Another request is sending data to this upload.',
    remedy: 'Wait a few seconds, get the offset with HEAD and continue from there.',
  },
  unsupportedTusVersion: {
    status: 412,
    message: 'This version of the tus protocol is not supported.',
    remedy: 'Send `Tus-Resumable: 1.0.0`.',
  },
  rangeNotSatisfiable: {
    status: 416,
    message: 'The range is outside the content.',
    remedy: 'Request a range within the size of the file.',
  },
});
