import { PASSPORT, type Page } from '../http/paths.js';
import type { Tour } from '../tour.js';
import type { Person } from './people.js';

/** Creates a workspace and returns its namespace, in which the creator has all permissions. */
export async function openWorkspace(tour: Tour, owner: Person): Promise<string> {
  return tour.step('A workspace is created, with a namespace of its own', async () => {
    const { body } = await owner.call<Page<{ _namespaces: string[] }>>('POST', `${PASSPORT}/workspaces`, {
      json: [{ _name: `Tour ${tour.mark}`, _shortName: `tour_${tour.mark}`, _userType: 'tour', _userAttributes: {} }],
      expect: 201,
    });
    return body._list[0]!._namespaces[0]!;
  });
}
