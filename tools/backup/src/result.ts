import type { BackupResult } from './backup/run-backup.js';
import type { RestoreResult } from './restore/run-restore.js';

const MB = 1_000_000;

const rate = (bytes: number, seconds: number): string =>
  `${(bytes / MB).toFixed(1)} MB in ${seconds.toFixed(1)} s (${(bytes / MB / Math.max(seconds, 0.001)).toFixed(1)} MB/s)`;

export const describeBackup = (result: BackupResult): string =>
  [
    `backup ${result.backup} is complete`,
    `databases: ${result.documents} documents, ${rate(result.documentBytes, result.databaseSeconds)}`,
    `objects: ${result.objects}, of which ${result.newObjects} are new: ${rate(result.newObjectBytes, result.objectSeconds)}`,
    ...(result.removedBackups > 0 ? [`removed ${result.removedBackups} older backups`] : []),
    ...missing(result.missingObjects),
  ].join('\n');

export const describeRestore = (result: RestoreResult): string =>
  [
    `backup ${result.backup} is restored; Redis is empty`,
    `databases: ${result.documents} documents, compared, ${rate(result.documentBytes, result.databaseSeconds)}`,
    `objects: ${result.objects}, of which ${result.keptObjects} were there: ${rate(result.objectBytes, result.objectSeconds)}`,
    ...(result.secrets.length > 0 ? [`secrets that the platform needs: ${result.secrets.join(', ')}`] : []),
    ...missing(result.missingObjects),
  ].join('\n');

const missing = (count: number): string[] => (count > 0 ? [`MISSING: ${count} objects, named above`] : []);
