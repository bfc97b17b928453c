import type { ReactNode } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import { Link } from 'wouter';
import type { HostingPlatform } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { optionFieldsOf } from '../../../../routers/schemas/platforms/option-fields.ts';
import { PLATFORM_SETUPS } from '../../../../routers/schemas/platforms/setups.ts';
import { Button } from '../../../components/button.tsx';
import { Card, CardBody, CardHeader } from '../../../components/card.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { PlatformMark } from '../../../components/states/platform-mark.tsx';
import { useWaiting } from '../../../uploads/waiting-selection.ts';
import { type DestinationFields, pathToNew } from '../create/destination-fields.ts';
import { OptionFields } from '../create/option-fields.tsx';
import { DownloadList } from './download-list.tsx';
import { PlatformFit } from './platform-fit.tsx';

export type PlatformSetupProps = {
  platform: HostingPlatform;
  /** The person's accounts there. */
  connections?: ReactNode;
  extras?: ReactNode;
};

/** Shows a platform's requirements, costs and limits, and the way to publish there. */
export function PlatformSetup({ platform, connections, extras }: PlatformSetupProps) {
  const { title, description, bullets } = PLATFORMS[platform];
  const { way, cost, needs, limits, limitsFrom } = PLATFORM_SETUPS[platform];
  const { selection: waiting } = useWaiting();
  const form = useForm<DestinationFields>({ values: { platform } });
  return (
    <div className="max-w-reading">
      <PageHeader
        title={
          <span className="inline-flex items-center gap-3">
            <PlatformMark platform={platform} className="size-6" />
            Deploy to {title}
          </span>
        }
        description={description}
      />
      <div className="flex flex-col gap-6">
        {connections}
        <FormProvider key={platform} {...form}>
          {optionFieldsOf(platform).length > 0 && (
            <Card>
              <CardHeader title={`Your settings at ${title}`} />
              <CardBody className="flex flex-col gap-4">
                <OptionFields />
              </CardBody>
            </Card>
          )}
          <Button asChild variant="primary" className="self-start">
            <Link to={pathToNew({ platform, options: form.watch('options') })}>
              Publish {waiting !== null && (waiting.name === '' ? 'your files' : `“${waiting.name}”`)} to {title}
            </Link>
          </Button>
        </FormProvider>
        <Card>
          <CardHeader title="How it works" />
          <CardBody className="flex flex-col gap-3">
            <p>{way}</p>
            <p className="text-ink-muted">{cost}</p>
            <Points title={`What ${title} is good at`} points={bullets} />
          </CardBody>
        </Card>
        <Card>
          <CardHeader title="Requirements" />
          <CardBody className="flex flex-col gap-4">
            <Points title="Before the first release" points={needs} />
            {limits.length > 0 && <Points title={`Limits of ${title}`} points={limits} />}
            {limitsFrom !== null && <p className="text-sm text-ink-muted">Limits from: {limitsFrom}.</p>}
          </CardBody>
        </Card>
        <PlatformFit platform={platform} />
        {extras}
        <DownloadList platformTitle={title} />
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
