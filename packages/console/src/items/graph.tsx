import { useText } from '../frame';
import { PageLink } from '../ui';

interface GraphProps {
  center: string;
  nodes: { id: string; name: string; to: string; edge: string }[];
}

const [WIDTH, STEP, BOX_WIDTH, BOX_HEIGHT] = [900, 56, 210, 36];
const MAX_LENGTH = 26;
const short = (name: string) => (name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH - 1)}…` : name);

/** An item in the middle, and the related ones on both sides of it. A list beside it says the same. */
export function Graph({ center, nodes }: GraphProps) {
  const { text } = useText();
  const height = Math.max(2, Math.ceil(nodes.length / 2)) * STEP;
  const [x, y] = [WIDTH / 2, height / 2];
  return (
    <div className="graph" role="region" tabIndex={0} aria-label={text('items.graph')}>
      <svg viewBox={`0 0 ${WIDTH} ${height}`} width={WIDTH} height={height}>
        {nodes.map(({ id, name, to, edge }, index) => {
          const side = index % 2 === 0 ? 1 : -1;
          const inSide = Math.ceil((nodes.length - (index % 2)) / 2);
          const nodeX = x + side * (WIDTH - BOX_WIDTH - 4) * 0.5;
          const nodeY = y + (Math.floor(index / 2) - (inSide - 1) / 2) * STEP;
          return (
            <g key={id}>
              <line x1={x} y1={y} x2={nodeX} y2={nodeY} />
              <text className="edge" x={(x + nodeX) / 2} y={(y + nodeY) / 2 - 6}>
                {short(edge)}
              </text>
              <PageLink to={to}>
                <Box x={nodeX} y={nodeY} name={name} />
              </PageLink>
            </g>
          );
        })}
        <Box x={x} y={y} name={center} />
      </svg>
    </div>
  );
}

const Box = ({ x, y, name }: { x: number; y: number; name: string }) => (
  <g>
    <title>{name}</title>
    <rect x={x - BOX_WIDTH / 2} y={y - BOX_HEIGHT / 2} width={BOX_WIDTH} height={BOX_HEIGHT} rx={4} />
    <text x={x} y={y + 5}>
      {short(name)}
    </text>
  </g>
);
