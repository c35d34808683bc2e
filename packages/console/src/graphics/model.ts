import { Box3, LoadingManager, Mesh, TextureLoader, Vector3 } from 'three';
import type { Group, Object3D } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

/** Reads another file that a model names, such as its buffer. Undefined if there is none. */
export type ReadFile = (name: string) => Promise<Blob> | undefined;

/**
 * Reads a glTF or GLB model. Its addresses come from a stranger: only data in the model itself and the given files are
 * read, and nothing is fetched.
 */
export async function readModel(content: ArrayBuffer, readFile: ReadFile): Promise<Group> {
  const images = await readImages(content, readFile);
  const manager = new LoadingManager();
  manager.setURLModifier((url) => (/^(data|blob):/.test(url) ? url : (images.get(nameOf(url)) ?? 'data:,')));
  const loader = new GLTFLoader(manager);
  loader.register((parser) => {
    // The usual loader of textures fetches them, which the policy of the server forbids for data in memory.
    parser.textureLoader = new TextureLoader(manager);
    const embedded = parser.loadBuffer.bind(parser);
    parser.loadBuffer = (index) => {
      const { buffers } = parser.json as { buffers: { uri?: string }[] };
      const uri = buffers[index]?.uri;
      return uri === undefined ? embedded(index) : readBuffer(uri, readFile);
    };
    return { name: 'console' };
  });
  try {
    return (await loader.parseAsync(content, '')).scene;
  } finally {
    for (const url of images.values()) URL.revokeObjectURL(url);
  }
}

const nameOf = (uri: string) => decodeURIComponent(uri.split(/[?#]/)[0]!.split('/').at(-1)!);

async function readBuffer(uri: string, readFile: ReadFile): Promise<ArrayBuffer> {
  const data = /^data:[^,]*;base64,(.*)$/s.exec(uri)?.[1];
  if (data !== undefined) return Uint8Array.from(atob(data), (char) => char.charCodeAt(0)).buffer;
  const file = await readFile(nameOf(uri));
  if (!file) throw new Error(nameOf(uri));
  return file.arrayBuffer();
}

/** URLs of the images that a glTF file names, by their file names. A GLB file contains them. */
async function readImages(content: ArrayBuffer, readFile: ReadFile): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const isJson = new Uint8Array(content, 0, 1)[0] === '{'.charCodeAt(0);
  if (!isJson) return found;
  const { images = [] } = JSON.parse(new TextDecoder().decode(content)) as { images?: { uri?: string }[] };
  for (const { uri } of images) {
    const file = uri === undefined || uri.startsWith('data:') ? undefined : await readFile(nameOf(uri));
    if (file) found.set(nameOf(uri!), URL.createObjectURL(file));
  }
  return found;
}

/** What a model consists of, for those who do not see it. */
export function describe(model: Object3D) {
  const size = new Box3().setFromObject(model).getSize(new Vector3());
  const names: string[] = [];
  let triangles = 0;
  model.traverse((part) => {
    if (!(part instanceof Mesh)) return;
    const { index, attributes } = (part as Mesh).geometry;
    triangles += Math.floor((index?.count ?? attributes.position?.count ?? 0) / 3);
    names.push(part.name);
  });
  return { names, triangles, size: size.toArray() };
}
