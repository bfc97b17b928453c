import { Check } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { HOSTING_PLATFORMS, type HostingPlatform } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { Button } from '../../../components/button.tsx';
import { Card, CardBody } from '../../../components/card.tsx';
import { ChoiceList } from '../../../components/choice-list.tsx';
import { Notice } from '../../../components/notice.tsx';
import { PlatformMark } from '../../../components/platform-mark.tsx';
import { href } from '../../../lib/paths.ts';
import { limitRefusal } from '../select/limit-refusal.ts';
import { ConnectionChoice } from './connection-choice.tsx';
import { useNewDeployment, useNewDeploymentFields } from './new-deployment-form.tsx';

/** So many of the others fit beside the one that is recommended. */
const SHOWN_AT_FIRST = 2;

/** Chooses where a new deployment goes; without a title where a heading above asks already. */
export function PlatformChoice({ isTitled = true }: { isTitled?: boolean }) {
  const { setValue, watch } = useNewDeploymentFields();
  const [isOpen, setOpen] = useState(false);
  // A choice that was made on another page has to be seen.
  const showsAll = isOpen || HOSTING_PLATFORMS.some((id, index) => index >= SHOWN_AT_FIRST && id === watch('platform'));
  const others = showsAll ? HOSTING_PLATFORMS : HOSTING_PLATFORMS.slice(0, SHOWN_AT_FIRST);
  const hidden = HOSTING_PLATFORMS.length - others.length;
  return (
    <Card>
      <CardBody>
        {isTitled && <h2 className="mb-4 font-semibold">Where it goes</h2>}
        <ChoiceList
          label="Where it goes"
          value={watch('platform')}
          onChange={(platform) => {
            setValue('platform', platform);
            setValue('connectionId', undefined);
            setValue('options', {});
          }}
          choices={[
            {
              value: 'built-in',
              title: PLATFORMS['built-in'].title,
              icon: <PlatformMark platform="built-in" />,
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
              icon: <PlatformMark platform={platform} />,
              description: PLATFORMS[platform].isAvailable
                ? PLATFORMS[platform].description
                : 'Publishing there is not available in this version.',
              isDisabled: !PLATFORMS[platform].isAvailable,
              aside: PLATFORMS[platform].isAvailable ? undefined : <SetupLink platform={platform} />,
            })),
          ]}
        />
        {hidden > 0 && (
          <Button variant="quiet" size="sm" className="mt-2 -ml-2.5" onClick={() => setOpen(true)}>
            {hidden} more platforms
          </Button>
        )}
        <LimitNotice />
        <ConnectionChoice />
      </CardBody>
    </Card>
  );
}

/** The platform's own limits, held against the files before anything is sent. */
function LimitNotice() {
  const { report } = useNewDeployment().chosen;
  const platform = useNewDeploymentFields().watch('platform');
  const refusal = report === null ? null : limitRefusal(platform, report);
  if (refusal === null) return null;
  return (
    <Notice tone="bad" title={refusal.message} className="mt-4">
      {refusal.hint}
    </Notice>
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
