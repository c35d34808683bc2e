import { noise, pick } from './noise.js';

export const FLOORS = [0, 1, 2, 3, 4];
const ROOMS_OF_A_FLOOR = 8;
const USES = ['office', 'office', 'office', 'meeting', 'lab', 'storage'] as const;

export interface Room {
  number: string;
  name: string;
  floor: number;
  use: string;
  /** In square metres. */
  area: number;
}

/** The rooms of the building in one edition: the first is a draft, the second has every room, the third is measured. */
export function roomsOf(edition: 1 | 2 | 3): Room[] {
  const rooms = FLOORS.flatMap((floor) =>
    Array.from({ length: ROOMS_OF_A_FLOOR }, (_, at) => room(floor, at, edition)),
  );
  return edition === 1 ? rooms.slice(0, -3) : rooms;
}

function room(floor: number, at: number, edition: number): Room {
  const number = `${floor}.0${at + 1}`;
  // A few offices become meeting rooms after the draft.
  const isConverted = edition > 1 && at === 5;
  const use = floor === 0 && at === 0 ? 'reception' : isConverted ? 'meeting' : pick(`use ${number}`, USES);
  const planned = 14 + Math.round(noise(`area ${number}`) * 40);
  const area = edition < 3 ? planned : planned + Math.round(noise(`measured ${number}`) * 20 - 10) / 10;
  return { number, name: `${use[0]!.toUpperCase()}${use.slice(1)} ${number}`, floor, use, area };
}

export const roomsCsv = (rooms: readonly Room[]): string =>
  ['number,name,floor,use,area', ...rooms.map((room) => Object.values(room).join(','))].join('\n') + '\n';
