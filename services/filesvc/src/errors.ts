import { defineErrors } from '@dtplatform/errors';

/** What can be wrong with a call of the file service. */
export const errors = defineErrors({
  namespaceMismatch: { status: 400, message: 'nsfilter is not among the namespaces.' },
  nameTaken: { status: 400, message: 'The name is taken in this folder and namespace.' },
  unknownParent: { status: 400, message: 'A parent is no folder that holds all of the namespaces.' },
  tooDeep: { status: 400, message: 'The folder lies below too many others.' },
  fileNotFound: { status: 400, message: 'File Not Found.' },
  invalidPattern: { status: 400, message: 'The pattern of the name is not a valid regular expression.' },
  patternTooSlow: { status: 400, message: 'The query takes too long: make it narrower.' },
  folderNotEmpty: { status: 409, message: 'The folder is not empty.' },

  brokenForm: { status: 400, message: 'The body is not a valid multipart form.' },
  formLimit: { status: 400, message: 'The form has too many or too large fields.' },
  noFile: { status: 400, message: 'The form has no part named file that holds a file.' },
  fileTooLarge: { status: 413, message: 'The file is too large.' },
  uploadCut: { status: 400, message: 'The body ended too early.' },

  invalidChecksum: { status: 400, message: 'The checksum has not the form that its prefix asks for.' },
  otherChecksum: { status: 400, message: 'The checksum is not the one that the upload was initiated with.' },
  checksumMismatch: { status: 400, message: 'The content does not have the checksum; the upload begins anew.' },
  tooManyBytes: { status: 400, message: 'There are more bytes than the file has.' },
  wrongOffset: { status: 409, message: 'The upload is at another offset.' },
  uploadTakenOver: { status: 409, message: 'Another writer has continued, restarted or removed this upload.' },
  uploadRunning: { status: 409, message: 'The file is being uploaded.' },
  uploadLocked: { status: 423, message: 'Another writer is sending to this upload.' },
  unsupportedTusVersion: { status: 412, message: 'This version of the tus protocol is not supported.' },
  rangeNotSatisfiable: { status: 416, message: 'The range lies outside of the content.' },
});
