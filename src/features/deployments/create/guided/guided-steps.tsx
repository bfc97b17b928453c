import { type FormEvent, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../../../../components/button.tsx';
import { Card } from '../../../../components/card.tsx';
import { classNames } from '../../../../components/class-names.ts';
import { namesakesText } from '../../namesakes.ts';
import { FilesStep } from '../../select/files-step.tsx';
import { useNewDeploymentContext } from '../below-folder.ts';
import { useLacksAccount } from '../destination-fields.ts';
import { NameField, useNamesakes } from '../name-field.tsx';
import { useNewDeployment, useNewDeploymentFields } from '../new-deployment-form.tsx';
import { ConnectionChoice, PlatformChoice } from '../platform-choice.tsx';
import { PublishForm } from '../publish-form.tsx';
import { GUIDED_LABELS, GUIDED_STEPS, type GuidedStep, guidedStep, stepBeside } from './guided-labels.ts';
import { GuidedSummary } from './guided-summary.tsx';

/** The address holds the question, so that the browser's Back is the guide's. */
const STEP = 'step';
/** Next is outside of the form that it sends. */
const FORMS: Partial<Record<GuidedStep, string>> = { name: 'guided-name', domain: 'guided-domain' };

export type GuidedStepsProps = {
  /** Renders the answer about the domain. */
  renderDomain: (props: { formId: string; onAnswered: () => void }) => ReactNode;
};

/** Asks one question after the other, and shows a summary before anything happens. */
export function GuidedSteps({ renderDomain }: GuidedStepsProps) {
  const { chosen, room } = useNewDeployment();
  const [params, setParams] = useSearchParams();
  const step = guidedStep(params.get(STEP), chosen);
  const heading = useFocusOnChange(step);
  const { question, explanation } = GUIDED_LABELS[step];
  const goTo = (next: GuidedStep) => {
    // A second press comes before this is rendered again, and would be a second step back.
    if (new URLSearchParams(window.location.search).get(STEP) === next) return;
    setParams(next === 'files' ? {} : { [STEP]: next });
  };
  const context = useNewDeploymentContext(() => goTo('check'));
  return (
    <div className="flex max-w-reading flex-col gap-6">
      <GuidedTrail current={step} onGoTo={goTo} />
      <section aria-labelledby="guided-question">
        <h2 ref={heading} id="guided-question" tabIndex={-1} className="text-xl font-semibold outline-none">
          {question}
        </h2>
        {explanation.map((paragraph) => (
          <p key={paragraph} className="mt-2 text-ink-muted text-pretty">
            {paragraph}
          </p>
        ))}
      </section>
      {step === 'files' ? (
        <FilesStep chosen={chosen} room={room} context={context} title="Drop your folder or ZIP here" />
      ) : (
        <GuidedAnswer step={step} onGoTo={goTo} renderDomain={renderDomain} />
      )}
      <StepButtons step={step} onGoTo={goTo} />
    </div>
  );
}

type StepProps<Step = GuidedStep> = { step: Step; onGoTo: (step: GuidedStep) => void };

/** Renders the answer to each question after the first. */
function GuidedAnswer({ step, onGoTo, renderDomain }: StepProps<Exclude<GuidedStep, 'files'>> & GuidedStepsProps) {
  const { trigger } = useNewDeploymentFields();

  /** Goes on if the name is valid; otherwise its field shows the error. */
  async function leaveName(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (await trigger('name', { shouldFocus: true })) onGoTo('domain');
  }

  switch (step) {
    case 'place':
      return <PlatformChoice isTitled={false} isExplained />;
    case 'name':
      return (
        <Card className="p-4 sm:p-5">
          <form id={FORMS.name} noValidate onSubmit={(event) => void leaveName(event)}>
            <NameField />
          </form>
        </Card>
      );
    case 'domain':
      return renderDomain({ formId: FORMS.domain ?? '', onAnswered: () => onGoTo('check') });
    case 'check':
      return (
        <>
          <GuidedSummary onGoTo={onGoTo} />
          <Card className="p-4 sm:p-5">
            <PublishForm>
              <Taken />
              <MissingAccount />
            </PublishForm>
          </Card>
        </>
      );
  }
}

/** Says why there are two buttons. */
function Taken() {
  const namesakes = useNamesakes() ?? [];
  return namesakes.length > 0 ? <p>{namesakesText(namesakes)}</p> : null;
}

/** Connects an account that the platform needs and that was passed over; its choice stays once it is connected. */
function MissingAccount() {
  const isMissing = useLacksAccount(useNewDeploymentFields().watch());
  const [isShown, setShown] = useState(false);
  if (isMissing && !isShown) setShown(true);
  return isShown ? (
    <Suspense>
      <ConnectionChoice />
    </Suspense>
  ) : null;
}

/** Shows Back and Next below the question; the last one has Publish instead of Next. */
function StepButtons({ step, onGoTo }: StepProps) {
  const { blockedBecause } = useNewDeployment();
  const back = stepBeside(step, -1);
  const next = stepBeside(step, 1);
  const reason = step === 'files' ? blockedBecause : null;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      {back !== null && <Button onClick={() => onGoTo(back)}>Back</Button>}
      {next !== null && (
        <Button
          // The key prevents that a pressed button turns into the button of the next question, and is pressed as that.
          key={step}
          variant="primary"
          disabled={reason !== null}
          {...(FORMS[step] === undefined ? { onClick: () => onGoTo(next) } : { type: 'submit', form: FORMS[step] })}
        >
          Next
        </Button>
      )}
      {reason !== null && <p className="text-sm text-ink-muted">{reason}</p>}
    </div>
  );
}

/**
 * Focuses a new question, so that it is read from its start. The first is not focused: the page has just been opened.
 */
function useFocusOnChange(step: GuidedStep) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    window.scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, [step]);
  return heading;
}

type GuidedTrailProps = { current: GuidedStep; onGoTo: (step: GuidedStep) => void };

/** Shows the position among the questions; answered ones are links. */
function GuidedTrail({ current, onGoTo }: GuidedTrailProps) {
  const at = GUIDED_STEPS.indexOf(current);
  return (
    <nav aria-label={`Question ${at + 1} of ${GUIDED_STEPS.length}`}>
      <ol className="grid grid-cols-5 gap-2">
        {GUIDED_STEPS.map((step, index) => {
          const label = `${index + 1}. ${GUIDED_LABELS[step].short}`;
          const look = 'flex w-full items-start border-t-3 pt-2 text-left text-xs sm:text-sm touch:min-h-11';
          return (
            <li key={step}>
              {index < at ? (
                <button
                  type="button"
                  onClick={() => onGoTo(step)}
                  className={classNames(look, 'rounded-b-tight border-accent text-ink-muted hover:text-ink')}
                >
                  {label}
                </button>
              ) : (
                <span
                  aria-current={index === at ? 'step' : undefined}
                  className={classNames(
                    look,
                    index === at ? 'border-accent font-medium text-ink' : 'border-line text-ink-muted',
                  )}
                >
                  {label}
                </span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
