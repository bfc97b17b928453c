import { useState } from 'react';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { Button } from '../../../components/button.tsx';
import type { Finding } from './findings.ts';

/** A few places show the problem; the others are shown on request. */
const PLACES_AT_FIRST = 5;

/** Lists places like `about.html, line 12: img/Boat.jpg is called img/boat.jpg`. */
export function PlaceList({ places }: { places: Finding['places'] }) {
  const [isWhole, setWhole] = useState(places.length <= PLACES_AT_FIRST + 1);
  const shown = isWhole ? places : places.slice(0, PLACES_AT_FIRST);
  return (
    <ul className="flex flex-col gap-1 pt-1.5">
      {shown.map(({ path, line, text }) => (
        <li key={`${path}:${line}:${text}`} className="wrap-anywhere">
          <code className="font-mono text-ink">{path}</code>, line {line}: {text}
        </li>
      ))}
      {!isWhole && (
        <li>
          <Button size="sm" className="mt-1" onClick={() => setWhole(true)}>
            Show {formatCount(places.length - PLACES_AT_FIRST, 'more place')}
          </Button>
        </li>
      )}
    </ul>
  );
}
