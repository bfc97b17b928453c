import { Card } from '../../components/card.tsx';
import { NameField } from './name-field.tsx';
import { PublishForm } from './publish-form.tsx';
import type { NewDeployment } from './use-new-deployment.ts';

/** Name, the address that comes of it, and Publish. */
export function CreateForm({ making }: { making: NewDeployment }) {
  return (
    <Card className="p-4 sm:p-5">
      <PublishForm making={making}>
        <NameField making={making} />
      </PublishForm>
    </Card>
  );
}
