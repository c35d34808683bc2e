import { defineErrors } from '@dtplatform/errors';

/** Errors of the file service. */
export const errors = defineErrors({
  namespaceMismatch: { status: 400, message: 'nsfilter is not among the namespaces.' },
  nameTaken: { status: 400, message: 'The name is taken in this folder and namespace.' },
  unknownParent: { status: 400, message: 'A parent must be a folder in all of the namespaces.' },
  tooDeep: { status: 400, message: 'The folder is nested too deeply.' },
  fileNotFound: { status: 400, message: 'File Not Found.' },
  invalidPattern: { status: 400, message: 'The pattern of the name is not a valid regular expression.' },
  patternTooSlow: { status: 400, message: 'The query takes too long. Narrow it down.' },
  lastVersion: { status: 400, message: 'The only version of a file cannot be deleted. Delete the file.' },
  folderCycle: { status: 400, message: 'A folder cannot be moved into itself or into a folder below it.' },
  folderTooLarge: {
    status: 400,
    message: 'The folder contains more than 1000 files or 250 folders. Move them in parts.',
  },
  folderNotEmpty: { status: 400, message: 'Something below the folder is still in the namespace.' },
  folderMoved: { status: 409, message: 'The file or a folder above it was moved at the same time. Try again.' },

  brokenForm: { status: 400, message: 'The body is not a valid multipart form.' },
  formLimit: { status: 400, message: 'The form has too many fields, or a field is too large.' },
  noFile: { status: 400, message: 'The form needs a file in a part named "file".' },
  fileTooLarge: { status: 413, message: 'The file is too large.' },
  uploadCut: { status: 400, message: 'The body ended too early.' },

  invalidChecksum: { status: 400, message: 'The checksum does not have the format that its prefix requires.' },
  otherChecksum: { status: 400, message: 'The checksum differs from the one that the upload was initiated with.' },
  checksumMismatch: { status: 400, message: 'The content does not match the checksum. The upload starts over.' },
  tooManyBytes: { status: 400, message: 'The upload has fewer bytes left than were sent.' },
  wrongOffset: { status: 409, message: 'The upload is at another offset.' },
  uploadTakenOver: { status: 409, message: 'Another request continued, restarted or removed this upload.' },
  uploadRunning: { status: 409, message: 'The file is being uploaded.' },
  uploadLocked: { status: 423, message: 'Another request is sending to this upload.' },
  unsupportedTusVersion: { status: 412, message: 'This version of the tus protocol is not supported.' },
  rangeNotSatisfiable: { status: 416, message: 'The range is outside the content.' },
});
