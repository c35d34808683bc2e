import { resource } from '@dtplatform/runtime';
import { relatedCollectionModel } from './related-collection.model.js';
import { relatedCollectionRoutes } from './relatedcollections.routes.js';

export const relatedcollections = resource({
  tags: { relatedCollections: 'The items that are related to composite items.' },
  models: [relatedCollectionModel],
  routes: (parts: Parameters<typeof relatedCollectionRoutes>[0]) => [relatedCollectionRoutes(parts)],
});
