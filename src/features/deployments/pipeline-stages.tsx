import { Card } from '../../components/card.tsx';
import { Stage } from '../../components/stage.tsx';
import { NameField } from './name-field.tsx';
import { PlatformChoice } from './platform-choice.tsx';
import { PublishForm } from './publish-form.tsx';
import type { NewDeployment } from './use-new-deployment.ts';

/** Everything after the files: what else is decided, what is not there, and what happens then. */
export function StagesAfterFiles({ making }: { making: NewDeployment }) {
  const { platform, setPlatform, nameProblem, name } = making;
  const isNamed = name.trim() !== '' && nameProblem === undefined;
  return (
    <>
      <Stage number={2} title="Platform" state="done">
        <PlatformChoice value={platform} onChange={setPlatform} isTitled={false} />
      </Stage>
      <Stage number={3} title="Address" state={isNamed ? 'done' : 'open'}>
        <Card className="p-4 sm:p-5">
          <NameField making={making} />
        </Card>
      </Stage>
      <AbsentStages />
      <PublishStages making={making} />
    </>
  );
}

/** What a domain of one's own would need: named in its place, and not there. */
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

function PublishStages({ making }: { making: NewDeployment }) {
  return (
    <>
      <Stage number={7} title="Publish" state="open">
        <Card className="p-4 sm:p-5">
          <PublishForm making={making} />
        </Card>
      </Stage>
      <Stage
        number={8}
        title="Diagnostics"
        state="waiting"
        text="Every file is fetched from its new place and compared with yours, before and after the address is switched."
      />
    </>
  );
}
