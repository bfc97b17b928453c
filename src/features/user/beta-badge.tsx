import { BadgeCheck } from 'lucide-react';
import { Badge } from '../../components/badge.tsx';

/** Marks the profile and the deployments of beta testers. */
export function BetaBadge() {
  return (
    <Badge tone="accent" icon={BadgeCheck}>
      Beta Tester
    </Badge>
  );
}
