import { afterAll, expect, it } from '@jest/globals';
import * as items from './examples/items.js';
import { openStory } from './examples/story.js';
import { keepMessages, keepSensors } from './examples/telemetry.js';

const story = await openStory();
afterAll(() => story.stop());

/** One story with each operation that responds with JSON. */
it('keeps the examples of the API description', async () => {
  const collection = await items.keepItems(story);
  // Started late, so that the outbox has the same messages each time.
  await story.app.startWorker();
  const rooms = await items.keepRooms(story, collection);
  await items.keepIndexes(story, rooms);
  const sensors = await keepSensors(story, rooms);
  const tower = await items.keepVersions(story);
  await items.keepRelations(story, tower, [collection, sensors]);
  await keepMessages(story, sensors);
  await items.keepMany(story, rooms);
  await items.keepPermissions(story);

  const { kept, stored } = story.end();
  expect(kept).toEqual(stored);
});
