import { Check, TriangleAlert } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { HOSTING_PLATFORMS, type PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { RankedPlatform } from '../../../../routers/schemas/recommendations.ts';
import { Button } from '../../../components/button.tsx';
import { Card, CardBody } from '../../../components/card.tsx';
import { type Choice, ChoiceList } from '../../../components/fields/choice-list.tsx';
import { Notice } from '../../../components/notice.tsx';
import { PlatformMark } from '../../../components/states/platform-mark.tsx';
import { reachText } from '../../../lib/sites-address.ts';
import { needsQuestion, rankReasons } from '../rank/lazy-parts.ts';
import { praiseOf, type Ranker, recommendedIn } from '../rank/use-ranking.ts';
import { limitRefusal } from '../select/limit-refusal.ts';
import { useNewDeployment, useNewDeploymentFields } from './new-deployment-form.tsx';

/** The built-in host, which is preselected, needs no account. */
export const ConnectionChoice = lazy(async () => ({
  default: (await import('./connection-choice.tsx')).ConnectionChoice,
}));

/** This many fit on the screen without scrolling. */
const SHOWN_AT_FIRST = 3;
const UNRANKED: readonly PlatformId[] = ['built-in', ...HOSTING_PLATFORMS];

export type PlatformChoiceProps = {
  /** False when a heading above asks already. */
  isTitled?: boolean;
  /** Shows at once what is asked and why it is recommended. */
  isExplained?: boolean;
};

/** Offers the places for a new deployment, best first. */
export function PlatformChoice({ isTitled = true, isExplained = false }: PlatformChoiceProps) {
  const { ranker } = useNewDeployment();
  const { setValue, watch } = useNewDeploymentFields();
  const [isOpen, setOpen] = useState(false);
  const { ranking, listed } = ranker;
  const recommended = recommendedIn(listed);
  const chosen = watch('platform');
  const places = listed?.map(({ platform }) => platform) ?? UNRANKED;
  // A choice from another page must be visible.
  const showsAll = isOpen || places.indexOf(chosen) >= SHOWN_AT_FIRST;
  const shown = showsAll ? places : places.slice(0, SHOWN_AT_FIRST);
  const hidden = places.length - shown.length;
  const rankedOf = (platform: PlatformId) => listed?.find((ranked) => ranked.platform === platform);
  const rankedChoice = rankedOf(chosen);
  return (
    <Card>
      <CardBody>
        {isTitled && <h2 className="mb-4 font-semibold">Hosting</h2>}
        <Needs ranker={ranker} isOpenAtFirst={isExplained} />
        <ChoiceList
          label="Hosting"
          value={chosen}
          onChange={(platform) => {
            setValue('platform', platform);
            setValue('connectionId', undefined);
            setValue('options', {});
          }}
          choices={shown.map((platform) => ({
            ...choiceOf(platform, rankedOf(platform), recommended),
            aside: markOf(platform, ranking),
            below: platform !== 'built-in' && platform === chosen && (
              <Suspense>
                <ConnectionChoice />
              </Suspense>
            ),
          }))}
        />
        {hidden > 0 && (
          <Button variant="quiet" size="sm" className="mt-2 -ml-2.5" onClick={() => setOpen(true)}>
            {hidden} more platforms
          </Button>
        )}
        {rankedChoice !== undefined && (
          <div className="mt-3">
            <Suspense>
              <rankReasons.Component
                ranked={rankedChoice}
                isRecommended={recommendedIn(ranking)?.platform === chosen}
                isOpen={isExplained}
              />
            </Suspense>
          </div>
        )}
        <LimitNotice />
      </CardBody>
    </Card>
  );
}

function Needs({ ranker, isOpenAtFirst }: { ranker: Ranker; isOpenAtFirst: boolean }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details open={isOpenAtFirst} onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className="mb-4">
      <summary className="w-fit cursor-pointer rounded-tight py-1 text-sm text-ink-muted hover:text-ink touch:py-3">
        What does your site need?
      </summary>
      <div className="mt-2">
        {isOpen && (
          <Suspense>
            <needsQuestion.Component ranker={ranker} />
          </Suspense>
        )}
      </div>
    </details>
  );
}

/** Builds the choice of a platform. A reason against all of them is shown once, below the list. */
function choiceOf(
  platform: PlatformId,
  ranked: RankedPlatform | undefined,
  recommended: RankedPlatform | undefined,
): Choice<PlatformId> {
  const { title, description, isServedHere } = PLATFORMS[platform];
  const about = isServedHere ? `${description.slice(0, -1)}${reachText()}.` : description;
  const against = recommended && ranked?.reasons.find(({ verdict }) => verdict === 'no');
  return {
    value: platform,
    title,
    icon: <PlatformMark platform={platform} />,
    description: against === undefined ? about : `${against.text} ${against.change}`,
  };
}

/** Marks a platform by what is known now, which changes the height of nothing. */
function markOf(platform: PlatformId, ranking: Ranker['ranking']): ReactNode {
  const look = 'flex items-center gap-1.5 text-sm font-medium';
  const fits = ranking?.find((ranked) => ranked.platform === platform)?.fits;
  if (fits === false) {
    return (
      <span className={`${look} text-warn`}>
        <TriangleAlert /> Does not fit
      </span>
    );
  }
  if (recommendedIn(ranking)?.platform !== platform) return null;
  return (
    <span className={`${look} text-accent`}>
      <Check /> {praiseOf(platform)}
    </span>
  );
}

/** Compares the files with the platform's own limits before anything is sent. */
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
