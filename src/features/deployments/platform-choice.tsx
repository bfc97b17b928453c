import { Check } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { HOSTING_PLATFORMS, type HostingPlatform, type PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { Button } from '../../components/button.tsx';
import { Card, CardBody } from '../../components/card.tsx';
import { ChoiceList } from '../../components/choice-list.tsx';
import { href } from '../../lib/paths.ts';

/** The first two of the others are in sight, as many as fit beside the one that is recommended. */
const SHOWN_AT_FIRST = 2;

export type PlatformChoiceProps = {
  value: PlatformId;
  onChange: (platform: PlatformId) => void;
  /** What stands above asks already. */
  isTitled?: boolean | undefined;
};

export function PlatformChoice({ value, onChange, isTitled = true }: PlatformChoiceProps) {
  const [showsAll, setShowsAll] = useState(false);
  const others = showsAll ? HOSTING_PLATFORMS : HOSTING_PLATFORMS.slice(0, SHOWN_AT_FIRST);
  const hidden = HOSTING_PLATFORMS.length - others.length;
  return (
    <Card>
      <CardBody>
        {isTitled && <h2 className="mb-4 font-semibold">Where it goes</h2>}
        <ChoiceList
          label="Where it goes"
          value={value}
          onChange={onChange}
          choices={[
            {
              value: 'built-in',
              title: PLATFORMS['built-in'].title,
              description: 'Live in about a second, no account needed.',
              aside: (
                <span className="flex items-center gap-1.5 text-sm font-medium text-accent">
                  <Check /> Recommended
                </span>
              ),
            },
            ...others.map((platform) => ({
              value: platform,
              title: PLATFORMS[platform].title,
              description: PLATFORMS[platform].isAvailable
                ? PLATFORMS[platform].description
                : 'Publishing there is not available in this version.',
              isDisabled: !PLATFORMS[platform].isAvailable,
              aside: PLATFORMS[platform].isAvailable ? undefined : <SetupLink platform={platform} />,
            })),
          ]}
        />
        {hidden > 0 && (
          <Button variant="quiet" size="sm" className="mt-2 -ml-2.5" onClick={() => setShowsAll(true)}>
            {hidden} more platforms
          </Button>
        )}
      </CardBody>
    </Card>
  );
}

/** Its page says what the platform takes, also while nothing is published there. */
function SetupLink({ platform }: { platform: HostingPlatform }) {
  return (
    <Link
      to={href.deploymentSetup(platform)}
      className="relative -my-0.5 rounded-tight py-0.5 text-sm text-ink-muted underline-offset-2 hover:text-ink hover:underline touch:-my-3 touch:py-3"
    >
      What it takes<span className="sr-only"> at {PLATFORMS[platform].title}</span>
    </Link>
  );
}
