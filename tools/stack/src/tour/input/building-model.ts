import { DERIVED, raw, StepFile, type Ref, type Value } from './step-file.js';

const STOREY_HEIGHT = 3.2;
const STOREYS_OF_A_BUILDING = 12;
const ROOM = { width: 4, depth: 5 };
const ROOMS = { across: 8, along: 6 };

/**
 * A campus as an IFC4 model of at least `minBytes`: buildings with storeys, walls, slabs and columns as extruded solids
 * with properties. Deterministic. All lengths are in metres.
 */
export function buildingModel(minBytes: number): Buffer {
  const file = new StepFile('IFC4', 'campus.ifc');
  const model = new Model(file);
  const buildings: Ref[] = [];
  do buildings.push(addBuilding(model, buildings.length + 1, minBytes));
  while (file.length < minBytes);
  model.rooted('IFCRELAGGREGATES', null, null, model.site, buildings);
  return file.toBuffer();
}

function addBuilding(model: Model, number: number, minBytes: number): Ref {
  const name = `Building ${number}`;
  const origin = [(number - 1) * (ROOMS.across * ROOM.width + 20), 0, 0] as const;
  const placement = model.placement(model.sitePlacement, origin);
  const building = model.rooted('IFCBUILDING', name, null, null, placement, null, null, ELEMENT, null, null, null);
  const storeys: Ref[] = [];
  do storeys.push(addStorey(model, name, placement, storeys.length));
  while (storeys.length < STOREYS_OF_A_BUILDING && model.file.length < minBytes);
  model.rooted('IFCRELAGGREGATES', null, null, building, storeys);
  return building;
}

function addStorey(model: Model, building: string, below: Ref, level: number): Ref {
  const name = `${building}, level ${level}`;
  const elevation = level * STOREY_HEIGHT;
  const placement = model.placement(below, [0, 0, elevation]);
  const storey = model.rooted('IFCBUILDINGSTOREY', name, null, null, placement, null, null, ELEMENT, elevation);
  const elements = [...elementsOf(name)].map((element) => addElement(model, placement, element));
  model.rooted('IFCRELCONTAINEDINSPATIALSTRUCTURE', null, null, elements, storey);
  return storey;
}

interface Element {
  entity: 'IFCWALL' | 'IFCSLAB' | 'IFCCOLUMN';
  kind: string;
  name: string;
  /** The centre of its base. */
  at: readonly [number, number, number];
  size: { x: number; y: number; z: number };
  isExternal: boolean;
}

/** A slab, and for each room its front wall, its left wall and a column at the corner between them. */
function* elementsOf(storey: string): Generator<Element> {
  const [width, depth] = [ROOMS.across * ROOM.width, ROOMS.along * ROOM.depth];
  const thickness = 0.25;
  const height = STOREY_HEIGHT - thickness;
  const slab = { entity: 'IFCSLAB', kind: 'FLOOR', isExternal: false } as const;
  const slabSize = { x: width, y: depth, z: thickness };
  yield { ...slab, name: `${storey}, slab`, at: [width / 2, depth / 2, -thickness], size: slabSize };
  for (let row = 0; row <= ROOMS.along; row += 1) {
    for (let column = 0; column <= ROOMS.across; column += 1) {
      const [x, y] = [column * ROOM.width, row * ROOM.depth];
      const name = `${storey}, room ${row}.${column}`;
      const wall = { entity: 'IFCWALL', kind: 'SOLIDWALL' } as const;
      if (column < ROOMS.across) {
        const isExternal = row === 0 || row === ROOMS.along;
        const size = { x: ROOM.width, y: isExternal ? 0.36 : 0.12, z: height };
        yield { ...wall, name: `${name}, front wall`, at: [x + ROOM.width / 2, y, 0], size, isExternal };
      }
      if (row < ROOMS.along) {
        const isExternal = column === 0 || column === ROOMS.across;
        const size = { x: isExternal ? 0.36 : 0.12, y: ROOM.depth, z: height };
        yield { ...wall, name: `${name}, left wall`, at: [x, y + ROOM.depth / 2, 0], size, isExternal };
      }
      const pillar = { entity: 'IFCCOLUMN', kind: 'COLUMN', isExternal: false } as const;
      yield { ...pillar, name: `${name}, column`, at: [x, y, 0], size: { x: 0.4, y: 0.4, z: height } };
    }
  }
}

function addElement(model: Model, storey: Ref, { entity, kind, name, at, size, isExternal }: Element): Ref {
  const { file } = model;
  const profile = file.add('IFCRECTANGLEPROFILEDEF', raw('.AREA.'), null, null, size.x, size.y);
  const solid = file.add('IFCEXTRUDEDAREASOLID', profile, null, model.up, size.z);
  const body = file.add('IFCSHAPEREPRESENTATION', model.bodyContext, 'Body', 'SweptSolid', [solid]);
  const shape = file.add('IFCPRODUCTDEFINITIONSHAPE', null, null, [body]);
  const placement = model.placement(storey, at);
  const element = model.rooted(entity, name, null, null, placement, shape, null, raw(`.${kind}.`));

  const value = (property: string, typed: string) =>
    file.add('IFCPROPERTYSINGLEVALUE', property, null, raw(typed), null);
  const properties = [
    value('IsExternal', `IFCBOOLEAN(.${isExternal ? 'T' : 'F'}.)`),
    value('LoadBearing', `IFCBOOLEAN(.${entity === 'IFCWALL' && !isExternal ? 'F' : 'T'}.)`),
    value('FireRating', `IFCLABEL('${isExternal ? 'REI 90' : 'EI 30'}')`),
  ];
  const setName = { IFCWALL: 'Pset_WallCommon', IFCSLAB: 'Pset_SlabCommon', IFCCOLUMN: 'Pset_ColumnCommon' }[entity];
  const set = model.rooted('IFCPROPERTYSET', setName, null, properties);
  model.rooted('IFCRELDEFINESBYPROPERTIES', null, null, [element], set);
  return element;
}

const ELEMENT = raw('.ELEMENT.');

/** Shared by the whole model: units, contexts, the project and its site. */
class Model {
  readonly file: StepFile;
  readonly up: Ref;
  readonly bodyContext: Ref;
  readonly site: Ref;
  readonly sitePlacement: Ref;
  #rooted = 0;

  constructor(file: StepFile) {
    this.file = file;
    this.up = file.add('IFCDIRECTION', [0, 0, 1]);
    const axes = this.#axes([0, 0, 0]);
    const [dimensions, precision] = [raw('3'), raw('1.E-05')];
    const context = file.add('IFCGEOMETRICREPRESENTATIONCONTEXT', null, 'Model', dimensions, precision, axes, null);
    const asParent = [DERIVED, DERIVED, DERIVED, DERIVED, context] as const;
    const view = [null, raw('.MODEL_VIEW.'), null] as const;
    this.bodyContext = file.add('IFCGEOMETRICREPRESENTATIONSUBCONTEXT', 'Body', 'Model', ...asParent, ...view);
    const unit = (type: string, name: string) => file.add('IFCSIUNIT', DERIVED, raw(type), null, raw(name));
    const units = file.add('IFCUNITASSIGNMENT', [
      unit('.LENGTHUNIT.', '.METRE.'),
      unit('.AREAUNIT.', '.SQUARE_METRE.'),
      unit('.VOLUMEUNIT.', '.CUBIC_METRE.'),
      unit('.PLANEANGLEUNIT.', '.RADIAN.'),
    ]);
    const project = this.rooted('IFCPROJECT', 'Campus', null, null, null, null, [context], units);
    this.sitePlacement = this.placement(null, [0, 0, 0]);
    const place = [this.sitePlacement, null, null, ELEMENT] as const;
    this.site = this.rooted('IFCSITE', 'Site', null, null, ...place, null, null, null, null, null);
    this.rooted('IFCRELAGGREGATES', null, null, project, [this.site]);
  }

  /** An entity with an identity but no owner history. */
  rooted(entity: string, ...values: Value[]): Ref {
    return this.file.add(entity, globalId((this.#rooted += 1)), null, ...values);
  }

  placement(relativeTo: Ref | null, at: readonly [number, number, number]): Ref {
    return this.file.add('IFCLOCALPLACEMENT', relativeTo, this.#axes(at));
  }

  #axes(at: readonly [number, number, number]): Ref {
    return this.file.add('IFCAXIS2PLACEMENT3D', this.file.add('IFCCARTESIANPOINT', at), null, null);
  }
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$';

/** An IfcGloballyUniqueId (ISO 16739-1): 22 digits of IFC's own base 64. */
function globalId(number: number): string {
  let digits = '';
  for (let rest = number; rest > 0; rest = Math.floor(rest / 64)) digits = DIGITS[rest % 64]! + digits;
  return digits.padStart(22, '0');
}
