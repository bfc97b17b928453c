import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { classNames } from '../../components/class-names.ts';
import { PlatformMark } from '../../components/states/platform-mark.tsx';

/** The thumbnail shows a desktop page at a quarter of its size. */
const SCALE = 4;

/**
 * Shows the site itself, small. It runs on its own origin, so `allow-same-origin` gives it its own storage and nothing
 * of ours; neither pointer nor keyboard can reach it.
 */
export type SiteThumbnailProps = {
  platform: PlatformId;
  /** Null while there is nothing to see. */
  url: string | null;
  name: string;
};

export function SiteThumbnail({ platform, url, name }: SiteThumbnailProps) {
  // The page's policy only frames the built-in host's sites: another host's answers are not ours to show.
  const { isServedHere } = PLATFORMS[platform];
  if (!isServedHere || url === null) {
    return (
      <div
        className={classNames(
          'flex aspect-16/10 w-full items-center justify-center rounded-control border border-line bg-surface-sunken text-ink-faint',
          !isServedHere && 'max-sm:hidden',
        )}
      >
        <PlatformMark platform={platform} className="size-10" />
      </div>
    );
  }
  return (
    <div
      inert
      className="relative aspect-16/10 w-full overflow-hidden rounded-control border border-line bg-surface-sunken"
    >
      <iframe
        title={`The live site of ${name}`}
        src={url}
        sandbox="allow-scripts allow-same-origin allow-forms"
        loading="lazy"
        referrerPolicy="no-referrer"
        tabIndex={-1}
        className="absolute top-0 left-0 origin-top-left border-0 bg-surface-raised"
        style={{ width: `${SCALE * 100}%`, height: `${SCALE * 100}%`, transform: `scale(${1 / SCALE})` }}
      />
    </div>
  );
}
