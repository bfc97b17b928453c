import type { ReactNode } from 'react';
import { domainsRefusal } from '../../../../routers/schemas/platforms/domains-refusal.ts';
import { Card } from '../../../components/card.tsx';
import { StageList } from '../../../components/page/stage.tsx';
import { LIVE_ONCE_COMPARED } from '../../../lib/verification-text.ts';
import { FilesStep } from '../select/files-step.tsx';
import { useNewDeploymentContext } from './below-folder.ts';
import { NameField, useNewName } from './name-field.tsx';
import { useNewDeployment, useNewDeploymentFields } from './new-deployment-form.tsx';
import { PlatformChoice } from './platform-choice.tsx';
import { PublishForm } from './publish-form.tsx';

/** Shows all stages before something is sent: the decisions, and what happens then. */
export function NewDeploymentStages({ domainField }: { domainField: ReactNode }) {
  const { chosen } = useNewDeployment();
  const { watch, formState } = useNewDeploymentFields();
  const { name, problem } = useNewName();
  const [domain, platform] = watch(['domain', 'platform']);
  const isReady = chosen.report !== null && chosen.report.reading.refusal === null;
  const isNamed = name.trim() !== '' && problem === undefined;
  const hasDomain = domain.trim() !== '' && domainsRefusal(platform) === null && formState.errors.domain === undefined;
  return (
    <StageList
      label="Pipeline"
      stages={[
        {
          title: 'Files',
          state: isReady ? 'done' : 'open',
          body: <Files />,
        },
        { title: 'Platform', state: 'done', body: <PlatformChoice isTitled={false} /> },
        {
          title: 'Address',
          state: isNamed ? 'done' : 'open',
          body: (
            <InCard>
              <NameField />
            </InCard>
          ),
        },
        { title: 'Domain', state: 'open', body: <InCard>{domainField}</InCard> },
        {
          title: 'Publish',
          state: 'open',
          body: (
            <InCard>
              <PublishForm />
            </InCard>
          ),
        },
        hasDomain
          ? {
              title: 'DNS',
              state: 'waiting',
              text: 'The records of your domain are listed here, or written for you if your DNS provider is connected.',
            }
          : { title: 'DNS', state: 'absent', text: 'The address above needs no records from you.' },
        hasDomain
          ? {
              title: 'Certificate',
              state: 'waiting',
              text: 'Ordered once your domain points here.',
            }
          : { title: 'Certificate', state: 'absent', text: 'Only a domain of your own needs one.' },
        { title: 'Diagnostics', state: 'waiting', text: LIVE_ONCE_COMPARED },
      ]}
    />
  );
}

function Files() {
  const { chosen, room } = useNewDeployment();
  return <FilesStep chosen={chosen} context={useNewDeploymentContext()} shape="wide" room={room} />;
}

function InCard({ children }: { children: ReactNode }) {
  return <Card className="flex flex-col gap-4 p-4 sm:p-5">{children}</Card>;
}
