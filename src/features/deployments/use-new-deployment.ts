import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { AddressCheck, Deployment } from '../../../routers/schemas/deployments.ts';
import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { DEPLOYMENT_NAME_MAX, NAME_TOO_LONG } from '../../../routers/schemas/slug.ts';
import type { Allowance } from '../../../routers/schemas/subscription.ts';
import { errorToast, fieldErrors } from '../../api/errors.ts';
import { forgetAsked, setPendingDrop } from '../../api/pending-drop.ts';
import { trpc } from '../../api/trpc.ts';
import type { Picked } from '../../api/upload-picks.ts';
import { usePublish } from '../../api/use-publish.ts';
import { showToast } from '../../components/toast-store.ts';
import { useWhenIdle } from '../../lib/later.ts';
import { useNameCheck } from './address-hint.tsx';
import type { ChosenFiles } from './chosen-files.ts';
import { nameFromFolder, newKey, useDraftName } from './create-draft.ts';
import { useEntryQuestion } from './entry-question.tsx';
import { type FolderReport, publishedFolder, refusalText } from './folder-report.ts';
import { type PlanBar, planBar } from './plan-words.ts';
import { useChosenFiles } from './use-chosen-files.ts';

const loadSchema = async () => (await import('../../../routers/schemas/deployments.ts')).createDeploymentInput;

/** Which deployment is being sent stands in the address; the files themselves are in the page's memory. */
const SENDING = 'deployment';

/** A folder or ZIP on its way to become a deployment: whatever screen leads through it, this is what it holds. */
export type NewDeployment = {
  files: ChosenFiles;
  platform: PlatformId;
  setPlatform: (platform: PlatformId) => void;
  name: string;
  setName: (name: string) => void;
  /** Why this very name cannot be used. */
  nameProblem: string | undefined;
  /** Looks at the name by the rule that the server has as well; answers whether it may go on. */
  checkName: () => Promise<boolean>;
  /** The address that the name makes. */
  address: AddressCheck | undefined;
  plan: PlanState;
  /** Why nothing can be published: no files yet, or such as break a rule. */
  blockedBecause: string | null;
  publish: () => void;
  isPublishing: boolean;
  /** The dialog that a folder without a start page asks for. */
  question: ReactNode;
  /** What was started from here, and is followed on this page; also after a reload. */
  deploymentId: string | null;
  /** Leaves what was started, with these files to begin with again. */
  startAgain: (files: Picked | null) => void;
};

export type PlanState = {
  allowance: Allowance | undefined;
  /** What stands between the person and a new deployment. */
  bar: PlanBar | null;
  error: unknown;
  retry: () => void;
};

export type NewDeploymentOptions = {
  /** `typed`: the folder suggests it, and the person may write another; `folder`: the folder alone names it. */
  namedBy: 'typed' | 'folder';
};

/** Everything between a choice of files and the deployment that they become; one for every screen that makes one. */
export function useNewDeployment({ namedBy }: NewDeploymentOptions): NewDeployment {
  const files = useChosenFiles();
  const [platform, setPlatform] = useState<PlatformId>('built-in');
  const suggested = files.folder === null ? '' : nameFromFolder(files.folder.name);
  const draft = useDraftName(suggested);
  const name = namedBy === 'typed' ? draft.name : suggested || UNNAMED;
  const sending = useSending();
  const plan = usePlanState();
  const blockedBecause = blockedReason(files);
  const creation = useCreation({
    name,
    platform,
    mayCreate: blockedBecause === null && plan.allowance !== undefined && plan.bar === null,
    report: files.report,
    onCreated: (deployment, report) => {
      if (namedBy === 'typed') draft.forget();
      sending.start(deployment, report);
    },
  });
  const address = useNameCheck(name, creation.isPublishing || sending.deploymentId !== null);
  return {
    files,
    platform,
    setPlatform,
    name,
    setName: draft.setName,
    address,
    plan,
    blockedBecause,
    ...creation,
    deploymentId: sending.deploymentId,
    startAgain: sending.startAgain,
  };
}

/** For loose files, which have no folder to name them. */
const UNNAMED = 'My website';

function blockedReason({ folder, report }: ChosenFiles): string | null {
  if (folder === null) return 'Drop a folder or a ZIP first.';
  if (report === null) return 'The files are being read.';
  return refusalText(report);
}

function usePlanState(): PlanState {
  const allowance = trpc.subscription.allowance.useQuery();
  return {
    allowance: allowance.data,
    bar: allowance.data === undefined ? null : planBar(allowance.data),
    error: allowance.error,
    retry: () => void allowance.refetch(),
  };
}

type Creation = {
  name: string;
  platform: PlatformId;
  mayCreate: boolean;
  report: FolderReport | null;
  onCreated: (deployment: Deployment, report: FolderReport) => void;
};

function useCreation({ name, platform, mayCreate, report, onCreated }: Creation) {
  const [refusal, setRefusal] = useState<{ name: string; message: string } | null>(null);
  const [round, setRound] = useState(0);
  // One key for one wish: pressing Publish twice makes one deployment, another name makes another.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the wish is name and platform, until it came true
  const idempotencyKey = useMemo(newKey, [name, platform, round]);
  const { ask, question } = useEntryQuestion(report);
  useWhenIdle(loadSchema);
  const create = trpc.deployments.create.useMutation({
    onSuccess: (deployment) => {
      setRound((before) => before + 1);
      if (report !== null) onCreated(deployment, report);
    },
    onError: (error) => {
      const message = fieldErrors(error).name;
      if (message === undefined) showToast(errorToast('Could not publish', error));
      else setRefusal({ name, message });
    },
  });

  /** It stands until the name is another. */
  async function accepted() {
    const schema = await loadSchema();
    const input = schema.safeParse({ name, platform });
    if (input.success) return input.data;
    setRefusal({ name, message: input.error.issues[0]?.message ?? '' });
    return null;
  }

  async function start(): Promise<void> {
    const input = await accepted();
    if (input !== null && mayCreate) ask(() => create.mutate({ ...input, idempotencyKey }));
  }

  const refused = refusal?.name === name ? refusal.message : undefined;
  return {
    // Too long is told while it is typed, before the schema has come.
    nameProblem: name.trim().length > DEPLOYMENT_NAME_MAX ? NAME_TOO_LONG : refused,
    checkName: async () => (await accepted()) !== null,
    publish: () => void start().catch((cause: unknown) => showToast(errorToast('Could not publish', cause))),
    isPublishing: create.isPending,
    question,
  };
}

function useSending() {
  const [params, setParams] = useSearchParams();
  const publish = usePublish();
  const isHere = useIsHere();

  function start(deployment: Deployment, report: FolderReport) {
    const { publishAnyway } = report;
    void publish({ deployment, folder: publishedFolder(report), publishAnyway, isNew: true }, () => {
      // Who went to another page meanwhile is not fetched back.
      if (isHere.current) setParams({ [SENDING]: deployment.id }, { replace: true });
      setPendingDrop(null);
      forgetAsked();
    });
  }

  function startAgain(files: Picked | null) {
    setPendingDrop(files);
    setParams({}, { replace: true });
  }

  return { deploymentId: params.get(SENDING), start, startAgain };
}

function useIsHere() {
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return isHere;
}
