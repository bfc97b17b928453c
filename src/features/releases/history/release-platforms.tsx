import { PLATFORM_TITLES } from '../../../../routers/schemas/platforms/titles.ts';
import type { Release } from '../../../../routers/schemas/releases.ts';
import { LinkedText } from '../../../components/linked-text.tsx';
import { DestinationBadge } from '../../../components/states/destination-badge.tsx';
import { PlatformMark } from '../../../components/states/platform-mark.tsx';

/** Names each platform of a release with its result; the steps beside it are only about the first. */
export function ReleasePlatforms({ destinations }: Pick<Release, 'destinations'>) {
  return (
    <ul aria-label="Platforms of this release" className="mb-4 flex flex-col gap-2.5 text-sm">
      {destinations.map(({ id, platform, state, error }) => (
        <li key={id}>
          <span className="flex flex-wrap items-center justify-between gap-2">
            <span className="flex items-center gap-2">
              <PlatformMark platform={platform} className="size-4" />
              {PLATFORM_TITLES[platform]}
            </span>
            <DestinationBadge state={state} />
          </span>
          {error !== null && (
            <p className="mt-1 text-ink-muted wrap-anywhere">
              <LinkedText text={error.message} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
