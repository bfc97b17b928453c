import { TriangleAlert } from 'lucide-react';
import { Badge } from './badge.tsx';

/** Of a release with files that cannot be read any more. */
export function DamagedBadge() {
  return (
    <Badge tone="bad" icon={TriangleAlert}>
      Damaged
    </Badge>
  );
}
