import { TriangleAlert } from 'lucide-react';
import { Badge } from '../badge.tsx';

/** Marks a release with files that can no longer be read. */
export function CorruptedBadge() {
  return (
    <Badge tone="bad" icon={TriangleAlert}>
      Damaged
    </Badge>
  );
}
