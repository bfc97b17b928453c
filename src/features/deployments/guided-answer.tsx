import type { FormEvent } from 'react';
import { Card } from '../../components/card.tsx';
import { GuidedSummary } from './guided-summary.tsx';
import type { GuidedStep } from './guided-words.ts';
import { NameField } from './name-field.tsx';
import { PlatformChoice } from './platform-choice.tsx';
import { PublishForm } from './publish-form.tsx';
import type { NewDeployment } from './use-new-deployment.ts';

export type GuidedAnswerProps = {
  making: NewDeployment;
  step: Exclude<GuidedStep, 'files'>;
  /** The id of the form that Next sends. */
  nameForm: string;
  onGoTo: (step: GuidedStep) => void;
};

/** The place for the answer to each question after the first. */
export function GuidedAnswer({ making, step, nameForm, onGoTo }: GuidedAnswerProps) {
  /** Goes on with a name that the rules take; another is told at its field. */
  async function leaveName(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (await making.checkName()) onGoTo('check');
  }

  switch (step) {
    case 'place':
      return <PlatformChoice value={making.platform} onChange={making.setPlatform} isTitled={false} />;
    case 'name':
      return (
        <Card className="p-4 sm:p-5">
          <form id={nameForm} noValidate onSubmit={(event) => void leaveName(event)}>
            <NameField making={making} />
          </form>
        </Card>
      );
    case 'check':
      return (
        <>
          <GuidedSummary making={making} onGoTo={onGoTo} />
          <Card className="p-4 sm:p-5">
            <PublishForm making={making} />
          </Card>
        </>
      );
  }
}
