import { afterAll } from '@jest/globals';
import { collectUsage } from './collect-usage.js';
import { creator, requests } from './requests.js';
import { startApp } from './start-app.js';
import { storedFiles } from './stored-files.js';
import { uploadClient } from './upload-client.js';

/** The application for the tests of one file. */
export const app = await startApp();
export const olga = requests(app, app.olga);
export const client = uploadClient(app, app.olga);
export const { folder, file } = creator(olga);
export const stored = storedFiles(app);
export const as = async (name: string) => requests(app, await app.as(name));

let usage: Awaited<ReturnType<typeof collectUsage>> | undefined;
/** Collects usage until the tests end. */
export const collect = async () => (usage = await collectUsage(app));

afterAll(async () => {
  await usage?.stop();
  await app.stop();
});
