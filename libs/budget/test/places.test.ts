import { describe, expect, it } from '@jest/globals';
import { createPlaces } from '../src/index.js';

describe('places', () => {
  it('are limited in all, and for each owner', () => {
    const places = createPlaces({ max: 3, maxOfOwner: 2 });
    const leave = [places.take('ada'), places.take('ada')];
    expect([places.hasMost('ada'), places.hasMost('bob'), places.isFull()]).toEqual([true, false, false]);
    places.take('bob');
    expect(places.isFull()).toBe(true);
    leave[0]!();
    expect([places.hasMost('ada'), places.isFull()]).toEqual([false, false]);
    leave[1]!();
    expect(places.hasMost('ada')).toBe(false);
  });
});
