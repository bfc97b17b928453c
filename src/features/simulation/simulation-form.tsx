import { domainsRefusal } from '../../../routers/schemas/platforms/domains-refusal.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { SIMULATED_PLATFORMS, SIMULATED_STEPS, type SimulatedStep } from '../../../routers/schemas/simulation.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { Button } from '../../components/button.tsx';
import { CardBody } from '../../components/card.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { ChoiceList } from '../../components/fields/choice-list.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { FailedState } from '../../components/page/failed-state.tsx';
import type { Simulation } from './use-simulation.ts';

const STEP_TITLES: Record<SimulatedStep, string> = {
  preparing: 'Sending fails at the start',
  uploading: 'Sending fails on the way',
  processing: 'Sending fails at the host',
  verifying: 'Checking fails',
  domain: 'The domain is refused',
  dns: 'DNS is wrong',
  certificate: 'No certificate is issued',
  checks: 'A check finds a problem',
};

/** Asks for the place of the simulation, and which step fails how: the sentences are the real ones. */
export function SimulationForm({ simulation }: { simulation: Simulation }) {
  const { choice, setChoice, failures, run, play } = simulation;
  const { platform, withDomain, failure } = choice;
  const domainRefusal = domainsRefusal(platform);
  const listed = failures.data ?? [];
  const steps = SIMULATED_STEPS.filter((step) => listed.some((one) => one.step === step));
  return (
    <CardBody className="border-t border-line">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          play(failure);
        }}
      >
        <Field label="Hosting">
          <Select
            value={platform}
            onValueChange={(next) => setChoice({ ...choice, platform: next, failure: null })}
            options={SIMULATED_PLATFORMS.map((id) => ({ value: id, label: PLATFORMS[id].title }))}
          />
        </Field>
        {domainRefusal === null ? (
          <Checkbox
            label="With a domain of your own"
            isChecked={withDomain}
            onChange={(isChecked) => setChoice({ ...choice, withDomain: isChecked, failure: null })}
          />
        ) : (
          <p className="text-ink-muted">{domainRefusal}</p>
        )}
        <FailedState
          failure={shownFailure('The list of failures could not be loaded', failures.error)}
          question={failures}
        />
        <Field label="What goes wrong">
          <Select
            value={failure?.step ?? 'nothing'}
            isDisabled={failures.data === undefined}
            onValueChange={(step) => setChoice({ ...choice, failure: listed.find((one) => one.step === step) ?? null })}
            options={[
              { value: 'nothing', label: 'Nothing' },
              ...steps.map((step) => ({ value: step, label: STEP_TITLES[step] })),
            ]}
          />
        </Field>
        <Ways
          failures={listed.filter(({ step }) => step === failure?.step)}
          chosen={failure}
          onChoose={(way) => setChoice({ ...choice, failure: way })}
        />
        <Button type="submit" variant="primary" className="self-start" isBusy={run.isPending} busyLabel="Running…">
          Run the simulation
        </Button>
      </form>
    </CardBody>
  );
}

type Failure = Simulation['choice']['failure'];
type WaysProps = { failures: NonNullable<Failure>[]; chosen: Failure; onChoose: (way: Failure) => void };

/** Offers the ways in which the chosen step fails. */
function Ways({ failures, chosen, onChoose }: WaysProps) {
  if (failures.length === 1) return <p className="text-ink-muted">{chosen?.message}</p>;
  return (
    failures.length > 1 && (
      <div className="-mx-1 max-h-80 overflow-y-auto p-1">
        <ChoiceList
          label="How it goes wrong"
          value={chosen?.id ?? ''}
          onChange={(id) => onChoose(failures.find((one) => one.id === id) ?? null)}
          choices={failures.map(({ id, message }) => ({ value: id, title: message }))}
        />
      </div>
    )
  );
}
