import { Check } from 'lucide-react';
import { useState } from 'react';
import { HOSTING_PLATFORMS } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { Button } from '../../../components/button.tsx';
import { Card, CardBody } from '../../../components/card.tsx';
import { ChoiceList } from '../../../components/choice-list.tsx';
import { Notice } from '../../../components/notice.tsx';
import { PlatformMark } from '../../../components/platform-mark.tsx';
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
              description: PLATFORMS[platform].description,
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
