import { BadgeCheck } from 'lucide-react';
import { Badge } from '../../components/badge.tsx';

/** Of those who take part in the beta, on profile and deployments (specification, section 1). */
export function BetaBadge() {
  return (
    <Badge tone="accent" icon={BadgeCheck}>
      Beta Tester
    </Badge>
  );
}
