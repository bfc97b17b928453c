import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { FormProvider, type UseFormReturn, useForm, useFormContext } from 'react-hook-form';
import { useSearchParams } from 'wouter';
import { createDeploymentInput } from '../../../../routers/schemas/deployments.ts';
import { HOSTING_PLATFORMS, type PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { DEPLOYMENT_NAME_MAX } from '../../../../routers/schemas/slug.ts';
import { applyFieldErrors, errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { showToast } from '../../../components/toast-store.ts';
import { onDraftsTaken, storeDraft } from '../../../lib/draft-storage.ts';
import { forgetFormDraft, readFormDraft } from '../../../lib/form-draft.ts';
import { randomId } from '../../../lib/random-id.ts';
import { formDraftKey, tryStorage } from '../../../lib/storage.ts';
import { useEntryQuestion } from '../select/entry-question.tsx';
import { refusalText } from '../select/files-step.tsx';
import { limitRefusal } from '../select/limit-refusal.ts';
import { type ChosenSelection, useWaitingSelection } from '../select/use-chosen-selection.ts';
import { type DestinationFields, destinationOf, missingChoice } from './destination-fields.ts';
import { usePlanBlocker } from './use-plan-blocker.ts';
import { useStartedDeployment } from './use-started-deployment.ts';

export type NewDeploymentFields = DestinationFields & { name: string };
/** The form whose draft is kept: the name, once a person has typed it. */
export const NEW_DEPLOYMENT_DRAFT = 'new-deployment';
/** Loose files have no folder to name the deployment. */
const UNNAMED = 'My website';

type NewDeployment = {
  chosen: ChosenSelection;
  /** Why nothing can be published: no files yet, or such as break a rule. */
  blockedBecause: string | null;
  publish: () => void;
  isPublishing: boolean;
};

const Context = createContext<NewDeployment | null>(null);

/** What is chosen and whether it may be published, below a `NewDeploymentForm`. */
export function useNewDeployment(): NewDeployment {
  const value = useContext(Context);
  if (value === null) throw new Error('There is no NewDeploymentForm around this.');
  return value;
}

export function useNewDeploymentFields(): UseFormReturn<NewDeploymentFields> {
  return useFormContext<NewDeploymentFields>();
}

export type NewDeploymentFormProps = {
  /** `typed`: the folder suggests the name, and the person may write another; `folder`: the folder alone names it. */
  namedBy: 'typed' | 'folder';
  children: ReactNode;
};

/** Holds everything between a choice of files and the deployment that they become, for every screen that makes one. */
export function NewDeploymentForm({ namedBy, children }: NewDeploymentFormProps) {
  const chosen = useWaitingSelection();
  const form = useNamedForm(namedBy, chosen);
  const plan = usePlanBlocker();
  const { ask, question } = useEntryQuestion(chosen.report);
  const { start } = useStartedDeployment();
  const keyFor = useIdempotencyKey();
  const blockedBecause = useBlockedReason(chosen, form);
  const mayCreate = blockedBecause === null && plan.allowance !== undefined && plan.blocker === null;

  const create = trpc.deployments.create.useMutation({
    onSuccess: (deployment) => {
      keyFor.renew();
      if (namedBy === 'typed') forgetFormDraft(NEW_DEPLOYMENT_DRAFT);
      if (chosen.report !== null) start(deployment, chosen.report);
    },
    onError: (error) => {
      if (!applyFieldErrors(error, ['name', 'connectionId', 'options'], form.setError))
        showToast(errorToast('Could not publish', error));
    },
  });
  const publish = form.handleSubmit((input) => {
    const wanted = { name: input.name, ...destinationOf(input) };
    if (mayCreate) ask(() => create.mutate({ ...wanted, idempotencyKey: keyFor.wish(JSON.stringify(wanted)) }));
  });

  return (
    <FormProvider {...form}>
      <Context value={{ chosen, blockedBecause, publish: () => void publish(), isPublishing: create.isPending }}>
        {children}
        {question}
      </Context>
    </FormProvider>
  );
}

function useNamedForm(namedBy: 'typed' | 'folder', { selection }: ChosenSelection): UseFormReturn<NewDeploymentFields> {
  const [search] = useSearchParams();
  const form = useForm<NewDeploymentFields>({
    resolver: standardSchemaResolver(createDeploymentInput),
    defaultValues: {
      name: '',
      platform: startingPlatform(search.get('platform')),
      ...(isTyped(namedBy) && readFormDraft(NEW_DEPLOYMENT_DRAFT, NO_NAME)),
    },
  });
  const fromFolder = selection === null ? '' : nameFromFolder(selection.name);
  const suggested = namedBy === 'folder' ? fromFolder || UNNAMED : fromFolder;
  const { setValue } = form;
  useEffect(() => {
    const suggest = () => {
      if (!isTyped(namedBy)) setValue('name', suggested);
    };
    suggest();
    return onDraftsTaken(suggest);
  }, [namedBy, suggested, setValue]);
  return form;
}

/** The page of a platform leads here with its name in the address. */
function startingPlatform(asked: string | null): PlatformId {
  return HOSTING_PLATFORMS.find((id) => id === asked) ?? 'built-in';
}

const NO_NAME = { name: '' };

function isTyped(namedBy: 'typed' | 'folder'): boolean {
  return namedBy === 'typed' && tryStorage(() => sessionStorage.getItem(formDraftKey(NEW_DEPLOYMENT_DRAFT))) !== null;
}

/** Makes a name that the rules take from the name of a folder. */
function nameFromFolder(folderName: string): string {
  const shown = folderName.replace(/[\p{Cc}\p{Cf}]/gu, '').trim();
  return shown.slice(0, DEPLOYMENT_NAME_MAX);
}

const REQUEST_DRAFT = 'new-deployment-request';
const NO_REQUEST = { wish: '', key: '' };

/**
 * The idempotency key of a request: pressing Publish twice makes one deployment, also after a reload that lost the first
 * answer; another name makes another.
 */
function useIdempotencyKey() {
  const current = useRef(readFormDraft(REQUEST_DRAFT, NO_REQUEST));
  return {
    wish: (wish: string): string => {
      if (current.current.wish !== wish) current.current = { wish, key: randomId() };
      storeDraft(REQUEST_DRAFT, JSON.stringify(current.current));
      return current.current.key;
    },
    renew: () => {
      current.current = NO_REQUEST;
      forgetFormDraft(REQUEST_DRAFT);
    },
  };
}

function useBlockedReason(
  { selection, report }: ChosenSelection,
  { watch }: UseFormReturn<NewDeploymentFields>,
): string | null {
  const [platform, connectionId, options] = watch(['platform', 'connectionId', 'options']);
  if (selection === null) return 'Drop a folder or a ZIP first.';
  if (report === null) return 'The files are being read.';
  return (
    refusalText(report) ?? limitRefusal(platform, report)?.message ?? missingChoice({ platform, connectionId, options })
  );
}
