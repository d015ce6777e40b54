/**
 * A sweep as a picture: pushes and waits over the number of agents, one line for each round trip.
 * Plain SVG.
 */
import type { RemoteRun } from './remote-figures.ts';
import { advisedPushesPerMinute, enough, type Sweep } from './remote-sweep.ts';
import { shortTime } from './remote-table.ts';

const size = {
  width: 760,
  height: 660,
  left: 80,
  right: 24,
  top: 84,
  panel: 220,
  gap: 76,
} as const;

/** Told apart by color and by dashes. */
const strokes = [
  { color: '#0072b2', dash: 'none' },
  { color: '#d55e00', dash: '7 3' },
  { color: '#009e73', dash: '2 3' },
  { color: '#cc79a7', dash: '9 3 2 3' },
] as const;

interface Panel {
  readonly title: string;
  readonly top: number;
  readonly value: (run: RemoteRun) => number;
  readonly rule: { readonly at: number; readonly says: string };
}

const panels: readonly Panel[] = [
  {
    title: 'pushes a minute',
    top: size.top,
    value: ({ pushesPerMinute }) => pushesPerMinute,
    rule: {
      at: advisedPushesPerMinute,
      says: `advice of a large forge: ${advisedPushesPerMinute} a minute`,
    },
  },
  {
    title: 'p95 wait in seconds',
    top: size.top + size.panel + size.gap,
    value: ({ waitSeconds }) => waitSeconds.p95,
    rule: { at: enough.p95Seconds, says: `beyond ${enough.p95Seconds} s one log is not enough` },
  },
];

type Scale = (value: number) => number;

/** Equal ratios are equal lengths; what lies outside is drawn at the edge. */
function logScale(
  [low, high]: readonly [number, number],
  [from, to]: readonly [number, number],
): Scale {
  const span = Math.log(high / low) || 1;
  return (value) =>
    from + (Math.log(Math.min(high, Math.max(low, value)) / low) / span) * (to - from);
}

function text(x: number, y: number, says: string, rest = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${rest}>${says.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`;
}

function line(
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
  rest: string,
): string {
  return `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" ${rest}/>`;
}

function decades(values: readonly number[]): readonly number[] {
  const exponents = values.map((value) => Math.log10(Math.max(value, 0.01)));
  const [low, high] = [Math.floor(Math.min(...exponents)), Math.ceil(Math.max(...exponents))];
  return Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
}

function drawPanel(
  { title, top, value, rule }: Panel,
  runs: readonly RemoteRun[],
  latencies: readonly number[],
): readonly string[] {
  const [left, right, bottom] = [size.left, size.width - size.right, top + size.panel];
  const sizes = [...new Set(runs.map(({ options }) => options.agents))].sort((a, b) => a - b);
  const ticks = decades([...runs.map(value), rule.at]);
  const x = logScale([sizes[0] ?? 1, sizes.at(-1) ?? 1], [left, right]);
  const y = logScale([ticks[0] ?? 1, ticks.at(-1) ?? 1], [bottom, top]);
  const curves = latencies.map((latencyMs, i) => {
    const { color, dash } = strokes[i % strokes.length] ?? strokes[0];
    const points = runs
      .filter(({ options }) => options.latencyMs === latencyMs)
      .map((run) => [x(run.options.agents).toFixed(1), y(value(run)).toFixed(1)] as const);
    const dots = points
      .map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${color}"/>`)
      .join('');
    return `<polyline points="${points.map((point) => point.join(',')).join(' ')}" fill="none" stroke="${color}" stroke-width="2" stroke-dasharray="${dash}"/>${dots}`;
  });
  return [
    text(left, top - 10, title, ' font-weight="bold"'),
    ...ticks.flatMap((tick) => [
      line([left, y(tick)], [right, y(tick)], 'stroke="#dddddd"'),
      text(left - 8, y(tick) + 4, String(Number(tick.toPrecision(1))), ' text-anchor="end"'),
    ]),
    ...sizes.flatMap((agents) => [
      line([x(agents), bottom], [x(agents), bottom + 5], 'stroke="#333333"'),
      text(x(agents), bottom + 20, String(agents), ' text-anchor="middle"'),
    ]),
    line([left, bottom], [right, bottom], 'stroke="#333333"'),
    line([left, top], [left, bottom], 'stroke="#333333"'),
    text((left + right) / 2, bottom + 38, 'agents', ' text-anchor="middle"'),
    line([left, y(rule.at)], [right, y(rule.at)], 'stroke="#aa0000" stroke-dasharray="4 4"'),
    text(left + 6, y(rule.at) - 5, rule.says, ' fill="#aa0000"'),
    ...curves,
  ];
}

function legend(latencies: readonly number[]): readonly string[] {
  return latencies.flatMap((latencyMs, i) => {
    const { color, dash } = strokes[i % strokes.length] ?? strokes[0];
    const left = size.left + i * 160;
    return [
      line(
        [left, 46],
        [left + 28, 46],
        `stroke="${color}" stroke-width="2" stroke-dasharray="${dash}"`,
      ),
      text(left + 36, 50, `round trip ${shortTime(latencyMs)}`),
    ];
  });
}

export function sweepPlot({ runs }: Sweep): string {
  const latencies = [...new Set(runs.map(({ options }) => options.latencyMs))];
  const { width, height } = size;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<title>Many machines on one remote log, simulated</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(
      size.left,
      24,
      'Many machines on one remote log, simulated',
      ' font-size="16" font-weight="bold"',
    ),
    ...legend(latencies),
    ...panels.flatMap((panel) => drawPanel(panel, runs, latencies)),
    '</svg>',
    '',
  ].join('\n');
}
