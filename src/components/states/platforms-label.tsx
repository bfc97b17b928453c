import type { Deployment } from '../../../routers/schemas/deployments.ts';
import { PLATFORM_TITLES } from '../../../routers/schemas/platforms/titles.ts';
import { destinationLabel } from './destination-badge.tsx';

export type PlatformsLabelProps = Pick<Deployment, 'platform' | 'destinations'>;

/**
 * Names the platforms of a deployment in the room of one name, "Built-in host +2". The tooltip and screen readers have
 * all of them, each with its state.
 */
export function PlatformsLabel({ platform, destinations }: PlatformsLabelProps) {
  const title = PLATFORM_TITLES[platform];
  if (destinations.length < 2) return <>{title}</>;
  const all = destinations.map((one) => `${PLATFORM_TITLES[one.platform]}: ${destinationLabel(one.state)}`).join(', ');
  return (
    // Above the link of a row, which covers the row and has a tooltip of its own.
    <span title={all} className="relative">
      <span aria-hidden>
        {title} +{destinations.length - 1}
      </span>
      <span className="sr-only">{all}</span>
    </span>
  );
}
