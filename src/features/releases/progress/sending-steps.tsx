import { formatCount } from '../../../../routers/schemas/format-count.ts';
import type { StepState } from '../../../../routers/schemas/states.ts';
import type { Step } from '../../../components/page/stepper.tsx';
import { formatSizeOf } from '../../../lib/format.ts';
import type { UploadProgress } from '../../../uploads/publish.ts';
import { isZip } from '../../../uploads/selection/selection.ts';
import type { Sending } from '../../../uploads/sendings.ts';
import { sentText } from '../release-labels.ts';
import { PART_TEXTS, partTitle, type StepGroupName } from '../step-titles.ts';
import { RowBody } from './release-steps.tsx';

export type SendingState = Pick<Sending, 'selection' | 'state' | 'progress' | 'result'> &
  Partial<Pick<Sending, 'failure'>>;

/**
 * Returns the same steps as those of the resulting release: this page sends, and the server goes on, unless the
 * deployment was deleted.
 */
export function sendingSteps({ selection, state, progress, result, failure }: SendingState): Step[] {
  const stopped = state === 'failed' || state === 'cancelled' ? state : 'running';
  return [
    row('sending', stopped, sendingText(progress, result, isZip(selection)), fractionOf(progress, result)),
    ...(failure?.isDeploymentGone ? [] : comingSteps().slice(1)),
  ];
}

/** Returns the steps of a platform whose turn comes later. */
export function comingSteps(): Step[] {
  return (['sending', 'checking', 'switching'] as const).map((name) => row(name, 'waiting', PART_TEXTS[name]));
}

function row(name: StepGroupName, state: StepState, text: string, fraction?: number | null): Step {
  const title = partTitle(name, state);
  return { key: name, state, title, body: <RowBody title={title} state={state} text={text} fraction={fraction} /> };
}

/** A ZIP is sent whole: its own bytes are counted, and not those of its files. */
function sendingText(progress: UploadProgress | null, result: Sending['result'], isZipped: boolean): string {
  if (result !== null) {
    const text = sentText(result.sentFiles, result.sentBytes, progress?.filesThere ?? 0);
    return isZipped ? `${text} as a ZIP` : text;
  }
  if (progress === null) return 'Reading the files';
  if (progress.phase === 'comparing') return 'Checking what is already there';
  const { phase, filesDone, filesTotal, bytesDone, bytesTotal } = progress;
  const files = `${filesDone.toLocaleString('en')} of ${formatCount(filesTotal, 'file')}`;
  const counted = `${files}, ${formatSizeOf(bytesDone, bytesTotal)}`;
  if (phase === 'reading') return `Reading ${counted}`;
  return isZipped ? `${counted} of the ZIP` : counted;
}

function fractionOf(progress: UploadProgress | null, result: Sending['result']): number | null | undefined {
  if (progress === null || result !== null) return undefined;
  const { phase, filesDone, filesTotal, bytesDone, bytesTotal } = progress;
  if (phase === 'comparing') return null;
  if (bytesTotal > 0) return bytesDone / bytesTotal;
  return filesTotal === 0 ? 1 : filesDone / filesTotal;
}
