import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  tellOfIndexes,
  tellOfItems,
  tellOfMany,
  tellOfPermissions,
  tellOfRelations,
  tellOfRooms,
  tellOfVersions,
} from './examples/items.js';
import { openStory } from './examples/story.js';
import type { Story } from './examples/story.js';
import { tellOfMessages, tellOfSensors } from './examples/telemetry.js';

let story: Story;
beforeAll(async () => {
  story = await openStory();
});
afterAll(() => story.stop());

/** Each operation of the reference that answers with JSON, as one story. */
it('keeps the examples of the API reference', async () => {
  const collection = await tellOfItems(story);
  // Not before, so that what waits for metricsvc is the same each time.
  await story.app.startWorker();
  const rooms = await tellOfRooms(story, collection);
  await tellOfIndexes(story, rooms);
  const sensors = await tellOfSensors(story, rooms);
  const tower = await tellOfVersions(story);
  await tellOfRelations(story, tower, [collection, sensors]);
  await tellOfMessages(story, sensors);
  await tellOfMany(story, rooms);
  await tellOfPermissions(story);

  const { kept, stored } = story.end();
  expect(kept).toEqual(stored);
});
