import { Card } from '../../../components/card.tsx';
import { Stage } from '../../../components/stage.tsx';
import { LIVE_ONCE_COMPARED } from '../../../lib/verification-text.ts';
import { FilesStep } from '../select/files-step.tsx';
import { NameField, useNewName } from './name-field.tsx';
import { useNewDeployment } from './new-deployment-form.tsx';
import { PlatformChoice } from './platform-choice.tsx';
import { PublishForm } from './publish-form.tsx';

/** All stages before something is sent: what is decided, what is not available, and what happens then. */
export function NewDeploymentStages() {
  const { chosen } = useNewDeployment();
  const { name, problem } = useNewName();
  const isReady = chosen.report !== null && chosen.report.reading.refusal === null;
  const isNamed = name.trim() !== '' && problem === undefined;
  return (
    <>
      <Stage number={1} title="Files" state={isReady ? 'done' : 'open'}>
        <FilesStep chosen={chosen} shape="wide" />
      </Stage>
      <Stage number={2} title="Platform" state="done">
        <PlatformChoice isTitled={false} />
      </Stage>
      <Stage number={3} title="Address" state={isNamed ? 'done' : 'open'}>
        <Card className="p-4 sm:p-5">
          <NameField />
        </Card>
      </Stage>
      <AbsentStages />
      <PublishStages />
    </>
  );
}

/** The stages of a domain of one's own, shown as not available. */
export function AbsentStages() {
  return (
    <>
      <Stage
        number={4}
        title="Domain"
        state="absent"
        text="Domains of your own are not available in this version. The site answers at the address above."
      />
      <Stage
        number={5}
        title="DNS"
        state="absent"
        text="DNS records are not available in this version. The address above needs none of yours."
      />
      <Stage
        number={6}
        title="Certificate"
        state="absent"
        text="Certificates are not available in this version. None is made or asked for."
      />
    </>
  );
}

function PublishStages() {
  return (
    <>
      <Stage number={7} title="Publish" state="open">
        <Card className="p-4 sm:p-5">
          <PublishForm />
        </Card>
      </Stage>
      <Stage number={8} title="Diagnostics" state="waiting" text={LIVE_ONCE_COMPARED} />
    </>
  );
}
