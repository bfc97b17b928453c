import { Clock } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { HostingPlatform } from '../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { PLATFORM_SETUPS } from '../../../routers/schemas/platforms/setups.ts';
import { Button } from '../../components/button.tsx';
import { Card, CardBody, CardHeader } from '../../components/card.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { paths } from '../../lib/paths.ts';
import { TakeAlong } from './take-along.tsx';

/**
 * What a platform takes, costs and allows, and what works meanwhile; no field for a token before it works (product page,
 * section 11, Setup pages).
 */
export function PlatformSetup({ platform, extras }: { platform: HostingPlatform; extras?: ReactNode }) {
  const { title, description, bullets } = PLATFORMS[platform];
  const { way, cost, needs, limits } = PLATFORM_SETUPS[platform];
  return (
    <div className="max-w-reading">
      <PageHeader title={`Deploy to ${title}`} description={description} />
      <Notice
        tone="accent"
        title={`Publishing to ${title} is not available in this version`}
        action={
          <Button asChild variant="primary">
            <Link to={paths.newDeployment}>Publish on the built-in host</Link>
          </Button>
        }
        className="mb-6"
      >
        The built-in host takes the same folder now, and needs no account anywhere else.
      </Notice>
      <div className="flex flex-col gap-6">
        <Card>
          <CardHeader title="How it will go" />
          <CardBody className="flex flex-col gap-3">
            <p>{way}</p>
            <p className="text-ink-muted">{cost}</p>
            <Points title={`What ${title} is good at`} points={bullets} />
          </CardBody>
        </Card>
        <Card>
          <CardHeader title="What you will need" />
          <CardBody className="flex flex-col gap-4">
            <Points title="Before the first release" points={needs} />
            {limits.length > 0 && <Points title={`Limits of ${title}`} points={limits} />}
            <p className="flex items-center gap-2 text-sm text-ink-muted">
              <Clock className="size-3.5" />
              None of it is needed yet.
            </p>
          </CardBody>
        </Card>
        {extras}
        <TakeAlong platformTitle={title} />
      </div>
    </div>
  );
}

function Points({ title, points }: { title: string; points: readonly string[] }) {
  return (
    <div>
      <h3 className="text-sm font-medium">{title}</h3>
      <ul className="mt-1 list-disc pl-5 text-ink-muted marker:text-ink-faint">
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    </div>
  );
}
