import { formatCount } from '../../../../routers/schemas/format-count.ts';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import type { PreflightStep } from '../../../../routers/schemas/preflight.ts';
import { CardBody } from '../../../components/card.tsx';
import { LinkedText } from '../../../components/linked-text.tsx';
import { Notice } from '../../../components/notice.tsx';
import { type PipelineStage, StageList } from '../../../components/page/stage.tsx';
import { formatSize } from '../../../lib/format.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import { selectionTitle } from '../../../uploads/selection/selection.ts';
import { limitRefusal } from '../select/limit-refusal.ts';

type Step = Omit<PreflightStep, 'step' | 'problem'> & {
  title: string;
  problem: Pick<NonNullable<PreflightStep['problem']>, 'message' | 'hint'> | null;
};

const TITLES: Record<PreflightStep['step'], string> = {
  create: 'Create the deployment',
  send: 'Send the files',
  publish: 'Publish',
  verify: 'Check every file',
  domain: 'Domain',
  certificate: 'Certificate',
};
const STATES: Record<PreflightStep['verdict'], PipelineStage['state']> = {
  pass: 'done',
  refused: 'failed',
  unknown: 'open',
  absent: 'absent',
};

type PreflightResultProps = {
  steps: readonly PreflightStep[];
  /** The files of the rehearsal; null for none. */
  report: SelectionReport | null;
  of: PreflightOf;
};

/** `isFurther`: a release of an existing deployment. */
export type PreflightOf = { platform: PlatformId; isFurther: boolean };

/** Shows every step of a rehearsed deployment, each with what it would send and why it would be refused. */
export function PreflightResult({ steps, report, of: { platform, isFurther } }: PreflightResultProps) {
  const titleOf = (step: PreflightStep['step']) =>
    isFurther && step === 'create' ? 'Create the release' : TITLES[step];
  const all = [filesStep(report, platform), ...steps.map((step) => ({ ...step, title: titleOf(step.step) }))];
  const refused = all.filter(({ verdict }) => verdict === 'refused').length;
  const unknown = all.filter(({ verdict }) => verdict === 'unknown').length;
  return (
    <CardBody className="border-t border-line">
      <p className="font-semibold" role="status">
        {verdictText(refused, unknown)}
      </p>
      <p className="mt-0.5 mb-5 text-sm text-ink-muted">Nothing was created, changed or published.</p>
      <StageList label="Preflight" stages={all.map(toStage)} />
    </CardBody>
  );
}

function verdictText(refused: number, unknown: number): string {
  if (refused > 0) return `${formatCount(refused, 'step')} would be refused`;
  if (unknown > 0) return `Nothing would be refused, but ${formatCount(unknown, 'step')} could not be checked`;
  return 'Nothing would be refused';
}

/** Returns the step of the files, whose rules the browser checks: a file that breaks one is never sent. */
function filesStep(report: SelectionReport | null, platform: PlatformId): Step {
  const title = 'Read the files';
  if (report === null) {
    const lines = ['Choose a folder or a ZIP above to check its files as well.'];
    return { title, verdict: 'unknown', lines, problem: null };
  }
  const { refusal, leftOut, files, totalBytes } = report.reading;
  const lines = [
    `${selectionTitle(report.selection)}: ${formatCount(files.length, 'file')}, ${formatSize(totalBytes)}.`,
    ...(leftOut.length > 0 ? [`${formatCount(leftOut.length, 'file')} left out.`] : []),
  ];
  const broken = refusal && { message: refusal.message, hint: refusal.path || null };
  const problem = broken ?? limitRefusal(platform, report);
  return { title, verdict: problem === null ? 'pass' : 'refused', lines, problem };
}

function toStage({ title, verdict, lines, problem }: Step): PipelineStage {
  return {
    title,
    state: STATES[verdict],
    text: lines.length > 0 && (
      <ul className="flex flex-col gap-1 wrap-anywhere">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    ),
    body: problem !== null && (
      <Notice tone={verdict === 'refused' ? 'bad' : 'warn'} title={<LinkedText text={problem.message} />}>
        <LinkedText text={problem.hint ?? ''} />
      </Notice>
    ),
  };
}
