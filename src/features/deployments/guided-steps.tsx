import { lazy, Suspense, useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../../components/button.tsx';
import { useWhenIdle } from '../../lib/later.ts';
import { FilesPart } from './files-part.tsx';
import { GuidedTrail } from './guided-trail.tsx';
import { GUIDED_WORDS, type GuidedStep, guidedStep, stepBeside } from './guided-words.ts';
import type { NewDeployment } from './use-new-deployment.ts';

/** Asked later, and here by then. */
const loadAnswer = async () => ({ default: (await import('./guided-answer.tsx')).GuidedAnswer });
const GuidedAnswer = lazy(loadAnswer);

/** Which question is asked stands in the address, so that the browser's Back is the guide's. */
const STEP = 'step';
/** Next stands outside of the form that it sends. */
const NAME_FORM = 'guided-name';

/** One question after the other, and a summary before anything happens. */
export function GuidedSteps({ making }: { making: NewDeployment }) {
  const [params, setParams] = useSearchParams();
  const step = guidedStep(params.get(STEP), making.files);
  const heading = useFocusOnChange(step);
  const { question, explanation } = GUIDED_WORDS[step];
  useWhenIdle(loadAnswer);
  const goTo = (next: GuidedStep) => {
    // A second press comes before this is rendered anew, and would be a second step back.
    if (new URLSearchParams(window.location.search).get(STEP) === next) return;
    setParams(next === 'files' ? {} : { [STEP]: next });
  };
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
        <FilesPart files={making.files} title="Drop your folder or ZIP here" />
      ) : (
        <Suspense fallback={null}>
          <GuidedAnswer making={making} step={step} nameForm={NAME_FORM} onGoTo={goTo} />
        </Suspense>
      )}
      <Ways making={making} step={step} onGoTo={goTo} />
    </div>
  );
}

type StepProps = { making: NewDeployment; step: GuidedStep; onGoTo: (step: GuidedStep) => void };

/** Back and Next below the question; the last has Publish in the place of Next. */
function Ways({ making, step, onGoTo }: StepProps) {
  const back = stepBeside(step, -1);
  const next = stepBeside(step, 1);
  const reason = step === 'files' ? making.blockedBecause : null;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      {back !== null && <Button onClick={() => onGoTo(back)}>Back</Button>}
      {next !== null && (
        <Button
          // Of each question its own: while it is pressed it would turn into that of the next one, and be pressed as that.
          key={step}
          variant="primary"
          disabled={reason !== null}
          {...(step === 'name' ? { type: 'submit', form: NAME_FORM } : { onClick: () => onGoTo(next) })}
        >
          Next
        </Button>
      )}
      {reason !== null && <p className="text-sm text-ink-muted">{reason}</p>}
    </div>
  );
}

/** A new question is read from its start. The first is not: the page has just been opened. */
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
