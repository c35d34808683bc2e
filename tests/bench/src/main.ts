import pc from 'picocolors';
import { lineReport } from '@dtplatform/stack';
import { startBench } from './bench.js';
import { countOperations } from './counts/main.js';
import { OPERATIONS } from './counts/operations/index.js';
import { measure, type RowResult } from './measure.js';
import { readOptions } from './options.js';
import { batchCheck } from './rows/batch-check.js';
import { besideParseServer } from './rows/beside-parse-server.js';
import { bulk } from './rows/bulk.js';
import { codeAndRefresh, codeAndRefreshInMemory } from './rows/code-and-refresh.js';
import { download, downloadByUrl } from './rows/download.js';
import { fileList } from './rows/file-list.js';
import { itemQueries } from './rows/item-queries.js';
import { itemGet, itemInsert, itemList } from './rows/items.js';
import { permissionCheck } from './rows/permission-check.js';
import { protectedGet } from './rows/protected-get.js';
import { readings } from './rows/readings.js';
import { runDrain } from './rows/run-drain.js';
import { scimLists } from './rows/scim-lists.js';
import { besideSignIns, signIn } from './rows/sign-in.js';
import { token } from './rows/token.js';
import { formUpload, resumableUpload, resumableUploads } from './rows/uploads.js';
import { countedInsert, metricSeries } from './rows/usage.js';
import { table } from './table.js';

const ROWS = [
  ...[token, codeAndRefresh, codeAndRefreshInMemory, signIn, besideSignIns],
  ...[protectedGet, permissionCheck, batchCheck],
  ...[resumableUpload, resumableUploads, formUpload, download, downloadByUrl, fileList],
  ...[itemGet, itemList, itemInsert, bulk, readings],
  ...[countedInsert, metricSeries, runDrain],
  ...scimLists,
  ...itemQueries,
  ...besideParseServer,
];

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), ROWS, OPERATIONS);
  if (options.operations) return countOperations(options.operations, options.write);
  const report = lineReport();
  const bench = await startBench({ ...report, progress: () => undefined });
  const results: RowResult[] = [];
  try {
    for (const row of options.rows) {
      console.log(`\n${pc.bold(row.row)}: ${row.about}`);
      try {
        results.push(await measure(row, await row.prepare(bench), (text) => report.progress(row.row, text)));
      } finally {
        await bench.endRow();
      }
    }
  } finally {
    await bench.stop();
  }
  console.log(`\n${table(results)}`);
}

main().catch((error: unknown) => {
  console.error(pc.red(`The bench failed: ${(error as Error).message}`));
  process.exitCode = 1;
});
