import { Star } from 'lucide-react';
import { useId, useState } from 'react';
import { classNames } from '../../components/class-names.ts';
import { isFilled, ratingLabel, starLabel, stars } from './star-rating.ts';

export type StarFieldProps = { rating: number; error?: string | undefined; onRate: (rating: number) => void };

/** Five radio buttons drawn as stars: arrow keys choose, the pointer previews. */
export function StarField({ rating, error, onRate }: StarFieldProps) {
  const [previewed, setPreviewed] = useState<number | null>(null);
  const name = useId();
  const [labelId, errorId] = [useId(), useId()];
  return (
    <div
      role="radiogroup"
      aria-labelledby={labelId}
      aria-invalid={error === undefined ? undefined : true}
      aria-describedby={error === undefined ? undefined : errorId}
    >
      <p id={labelId} className="text-sm font-medium">
        Your rating
      </p>
      <div className="mt-1 flex items-center gap-3">
        <div className="-ml-2 flex" onPointerLeave={() => setPreviewed(null)}>
          {stars.map((star) => (
            <label
              key={star}
              onPointerEnter={(event) => {
                if (event.pointerType === 'mouse') setPreviewed(star);
              }}
              className="relative flex size-11 items-center justify-center rounded-control has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name={name}
                value={star}
                checked={rating === star}
                onChange={() => onRate(star)}
                className="absolute inset-0 size-full cursor-pointer opacity-0"
              />
              <Star
                data-filled={isFilled(star, rating, previewed)}
                className={classNames(
                  'size-6 transition-colors',
                  isFilled(star, rating, previewed) ? 'fill-accent text-accent' : 'text-line-control',
                )}
              />
              <span className="sr-only">{starLabel(star)}</span>
            </label>
          ))}
        </div>
        <span aria-hidden className="text-sm text-ink-muted">
          {ratingLabel(previewed ?? rating)}
        </span>
      </div>
      {error !== undefined && (
        <p id={errorId} role="alert" className="mt-1 text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
