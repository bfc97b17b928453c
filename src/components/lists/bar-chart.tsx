import { classNames } from '../class-names.ts';

/** One bar: its whole, and the highlighted part of it. */
export type Bar = { label: string; whole: number; part: number };

export type BarChartProps = {
  /** The name of the chart for screen readers; a table beside it has the figures. */
  label: string;
  bars: readonly Bar[];
  /** The unit of the counts, for the axis. */
  unit: string;
  /** Formats the label below a bar. */
  formatLabel: (label: string) => string;
  /** Returns the text that appears when a bar is pointed at. */
  describe: (bar: Bar) => string;
  className?: string | undefined;
};

/** The part of a bar's space that it fills. */
const FILLED = 0.72;
/** The height in SVG units: larger than on screen, since the heights of bars are shares of it. */
const HEIGHT = 100;

/** Draws bars over time with an axis from zero. Nothing moves when figures arrive: they are compared, not watched. */
export function BarChart({ label, bars, unit, formatLabel, describe, className }: BarChartProps) {
  const top = roundTop(Math.max(0, ...bars.map(({ whole }) => whole)));
  const heightOf = (value: number): number => (value / top) * HEIGHT;
  return (
    <figure role="img" aria-label={label} className={classNames('flex flex-col gap-1.5', className)}>
      <div className="text-xs text-ink-muted">{unit}</div>
      <div className="flex gap-2">
        <div className="flex flex-col justify-between text-right text-xs leading-none text-ink-muted tabular-nums">
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{value.toLocaleString('en')}</span>
          ))}
        </div>
        <svg
          aria-hidden
          viewBox={`0 0 ${bars.length} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="h-40 min-w-0 flex-1 border-b border-line-control"
        >
          {[0, 0.5].map((share) => (
            <line
              key={share}
              x1={0}
              x2={bars.length}
              y1={share * HEIGHT}
              y2={share * HEIGHT}
              vectorEffect="non-scaling-stroke"
              className="stroke-line"
            />
          ))}
          {bars.map((bar, index) => (
            <g key={bar.label}>
              <title>{describe(bar)}</title>
              <rect x={index} width={1} height={HEIGHT} className="fill-transparent" />
              {(['whole', 'part'] as const).map((name) => (
                <rect
                  key={name}
                  x={index + (1 - FILLED) / 2}
                  width={FILLED}
                  y={HEIGHT - heightOf(bar[name])}
                  height={heightOf(bar[name])}
                  className={name === 'whole' ? 'fill-line-control' : 'fill-accent'}
                />
              ))}
            </g>
          ))}
        </svg>
      </div>
      <div className="flex justify-between pl-6 text-xs text-ink-muted tabular-nums">
        {axisLabels(bars).map((bar) => (
          <span key={bar.label}>{formatLabel(bar.label)}</span>
        ))}
      </div>
    </figure>
  );
}

/** Returns the first, middle and last label: a small screen has no room for more. */
function axisLabels(bars: readonly Bar[]): Bar[] {
  const places = [...new Set([0, Math.floor((bars.length - 1) / 2), bars.length - 1])];
  return places.flatMap((place) => bars[place] ?? []);
}

/** Returns an even round number that no bar exceeds. */
function roundTop(largest: number): number {
  if (largest <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(largest));
  const step = [1, 2, 4, 6, 8, 10].find((times) => times * power >= largest) ?? 10;
  return step * power;
}
