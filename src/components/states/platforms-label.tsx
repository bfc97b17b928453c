import type { Deployment } from '../../../routers/schemas/deployments.ts';
import { PLATFORM_TITLES } from '../../../routers/schemas/platforms/titles.ts';

export type PlatformsLabelProps = Pick<Deployment, 'platform' | 'destinations'>;

/** Names the platforms of a deployment in the room of one name: "Built-in host +2". */
export function PlatformsLabel({ platform, destinations }: PlatformsLabelProps) {
  const others = destinations.slice(1).map((one) => PLATFORM_TITLES[one.platform]);
  if (others.length === 0) return <>{PLATFORM_TITLES[platform]}</>;
  return (
    <span title={[PLATFORM_TITLES[platform], ...others].join(', ')}>
      {PLATFORM_TITLES[platform]} <span aria-hidden>+{others.length}</span>
      <span className="sr-only">and {others.join(', ')}</span>
    </span>
  );
}
