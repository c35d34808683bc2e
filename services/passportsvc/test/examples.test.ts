import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { tellOfApplications, tellOfConsents, tellOfServer } from './examples/applications.js';
import { tellOfScimServers } from './examples/scim-servers.js';
import { openStory } from './examples/story.js';
import type { Story } from './examples/story.js';
import { tellOfTeams, tellOfTemplates, tellOfWorkspaces } from './examples/teams.js';
import { tellOfScim, tellOfUsers } from './examples/users.js';

let story: Story;
beforeAll(async () => {
  story = await openStory();
});
afterAll(() => story.stop());

/** Each operation of the reference that answers with JSON, as one story. */
it('keeps the examples of the API reference', async () => {
  const people = await tellOfUsers(story);
  const viewer = await tellOfApplications(story, people);
  const { olga } = viewer;
  await tellOfServer(story);
  await tellOfConsents(story, people, olga);
  await tellOfWorkspaces(story, olga);
  await tellOfTeams(story, people, viewer);
  await tellOfTemplates(story, olga);
  await tellOfScim(story);
  await tellOfScimServers(story);

  const { kept, stored } = story.examples.end();
  expect(kept).toEqual(stored);
});
