import {
  Box3,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  PerspectiveCamera,
  Scene,
  Sphere,
  Texture,
  WebGLRenderer,
} from 'three';
import type { Object3D } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const ANGLE = 45;

/** What a user does with a model, and how the view ends. */
export type ShownModel = Record<'turnLeft' | 'turnRight' | 'zoomIn' | 'zoomOut' | 'reset' | 'dispose', () => void>;

/** Draws a model, which the pointer and the arrow keys move. @throws Error without WebGL */
export function showModel(canvas: HTMLCanvasElement, model: Object3D): ShownModel {
  const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
  const scene = new Scene();
  const sun = new DirectionalLight(0xffffff, 2);
  sun.position.set(1, 2, 3);
  scene.add(new HemisphereLight(0xffffff, 0x888888, 2), sun, model);

  const { center, radius } = new Box3().setFromObject(model).getBoundingSphere(new Sphere());
  const reach = Math.max(radius, 1e-6) / Math.sin((ANGLE / 2) * (Math.PI / 180));
  const camera = new PerspectiveCamera(ANGLE, 1, reach / 100, reach * 100);
  camera.position.copy(center).add({ x: reach * 0.6, y: reach * 0.5, z: reach * 0.7 });
  const controls = new OrbitControls(camera, canvas);
  controls.target.copy(center);
  controls.listenToKeyEvents(canvas);
  controls.update();
  controls.saveState();

  const draw = () => renderer.render(scene, camera);
  controls.addEventListener('change', draw);
  const observer = new ResizeObserver(() => {
    const { clientWidth, clientHeight } = canvas;
    renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    renderer.setSize(clientWidth, clientHeight, false);
    camera.aspect = clientWidth / Math.max(1, clientHeight);
    camera.updateProjectionMatrix();
    draw();
  });
  observer.observe(canvas);
  return {
    turnLeft: () => controls.rotateLeft(Math.PI / 8),
    turnRight: () => controls.rotateLeft(-Math.PI / 8),
    zoomIn: () => controls.dollyIn(1.25),
    zoomOut: () => controls.dollyOut(1.25),
    reset: () => controls.reset(),
    dispose() {
      observer.disconnect();
      controls.dispose();
      free(model);
      renderer.dispose();
    },
  };
}

/** Graphics memory is not freed by itself. */
function free(model: Object3D): void {
  model.traverse((part) => {
    if (!(part instanceof Mesh)) return;
    const { geometry, material } = part as Mesh;
    geometry.dispose();
    for (const each of [material].flat()) {
      for (const value of Object.values(each) as unknown[]) if (value instanceof Texture) value.dispose();
      each.dispose();
    }
  });
}
