import { Card, CardHeader } from '../../components/card.tsx';

export type RankingRow = { name: string; count: number };

export type RankingProps = {
  title: string;
  /** The unit of the counts, above the figures. */
  unit: string;
  rows: readonly RankingRow[];
  /** The sum of all rows that are not listed; absent when it is zero. */
  others?: number | undefined;
  /** One sentence in place of rows. */
  empty: string;
};

const SHOWN = 10;

/** Shows the largest counts, each with its share of the largest; two lines a row at every width. */
export function Ranking({ title, unit, rows, others = 0, empty }: RankingProps) {
  const shown = rows.slice(0, SHOWN);
  const rest = others + rows.slice(SHOWN).reduce((sum, { count }) => sum + count, 0);
  const all = rest > 0 ? [...shown, { name: 'All others', count: rest }] : shown;
  const largest = Math.max(1, ...all.map(({ count }) => count));
  return (
    <Card className="min-w-0 overflow-hidden">
      <CardHeader title={title} action={<span className="text-xs text-ink-muted">{unit}</span>} />
      {all.length === 0 ? (
        <p className="px-4 py-4 text-sm text-ink-muted sm:px-5">{empty}</p>
      ) : (
        <ul className="flex flex-col gap-2.5 px-4 py-4 sm:px-5">
          {all.map(({ name, count }) => (
            <li key={name}>
              <div className="flex items-baseline justify-between gap-4 text-sm">
                <span className="min-w-0 truncate" title={name}>
                  {name}
                </span>
                <span className="shrink-0 tabular-nums">{count.toLocaleString('en')}</span>
              </div>
              <div aria-hidden className="mt-1 h-1 overflow-hidden rounded-full bg-surface-sunken">
                <div
                  className="h-full min-w-1 rounded-full bg-accent"
                  style={{ width: `${(count / largest) * 100}%` }}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
