import { defineModel, id, json, newId, number, part } from '../src/index.js';
import { useDatabase } from './support.js';

export interface Thing {
  _id: string;
  _namespaces: string[];
  _revision: number;
  rank: number;
  name?: string;
  more?: unknown;
  part?: { more: unknown };
}

const thingModel = defineModel<Thing>('things', {
  _id: id,
  _namespaces: [String],
  _revision: number,
  rank: number,
  name: String,
  more: json,
  part: part<{ more: unknown }>({ more: json }),
});

export const thing = (rank: number, more: Partial<Thing> = {}): Thing => ({
  _id: newId(),
  _namespaces: ['a'],
  _revision: 0,
  rank,
  ...more,
});

/** A separate database with 30 things of ranks 0 to 29. */
export async function openThings() {
  const mongo = await useDatabase();
  const things = mongo.model(thingModel);
  await things.insertMany(Array.from({ length: 30 }, (_, rank) => thing(rank)));
  return { mongo, things };
}
