import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { FormProvider, type Resolver, type UseFormReturn, useForm, useFormContext } from 'react-hook-form';
import { useSearchParams } from 'wouter';
import * as z from 'zod/mini';
import { createDeploymentInput } from '../../../../routers/schemas/deployments.ts';
import { domainNameIn } from '../../../../routers/schemas/domain-name.ts';
import { optionalDomainNameSchema } from '../../../../routers/schemas/domains.ts';
import { domainsRefusal } from '../../../../routers/schemas/platforms/domains-refusal.ts';
import { HOSTING_PLATFORMS, type PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { applyFieldErrors, errorToast, fieldErrors } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { randomId } from '../../../lib/random-id.ts';
import { onDraftsTaken, storeDraft } from '../../../lib/storage/draft-storage.ts';
import { forgetFormDraft, readFormDraft } from '../../../lib/storage/form-draft.ts';
import { formDraftKey, tryStorage } from '../../../lib/storage/storage.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import { type Ranker, useRanking } from '../rank/use-ranking.ts';
import { useEntryQuestion } from '../select/entry-question.tsx';
import { refusalText } from '../select/files-step.tsx';
import { limitRefusal } from '../select/limit-refusal.ts';
import { type Room, roomRefusal, useRoom } from '../select/room.tsx';
import { type ChosenSelection, sizeOf, useWaitingSelection } from '../select/use-chosen-selection.ts';
import { type DestinationFields, destinationOf, optionsIn, useMissingChoice } from './destination-fields.ts';
import { nameFromFolder, UNNAMED } from './name-from-folder.ts';
import { usePlanBlocker } from './use-plan-blocker.ts';
import { useStartedDeployment } from './use-started-deployment.ts';

/** `domain` is '' for none. */
export type NewDeploymentFields = DestinationFields & { name: string; domain: string };
const newDeploymentFields = z.extend(createDeploymentInput, { domain: optionalDomainNameSchema });
/** The name of the stored draft, which holds a typed name and the folder for which it was typed. */
const NEW_DEPLOYMENT_DRAFT = 'new-deployment';
const DOMAIN_DRAFT = 'new-deployment-domain';
const NO_DOMAIN = { domain: '' };

type NewDeployment = {
  chosen: ChosenSelection;
  /** The reason why nothing can be published: no files yet, or some that break a rule. */
  blockedBecause: string | null;
  room: Room;
  /** Ranks the platforms. */
  ranker: Ranker;
  publish: () => Promise<void>;
  isPublishing: boolean;
};

const Context = createContext<NewDeployment | null>(null);

/** Returns the choices and whether they may be published, below a `NewDeploymentForm`. */
export function useNewDeployment(): NewDeployment {
  const value = useContext(Context);
  if (value === null) throw new Error('There is no NewDeploymentForm around this.');
  return value;
}

export function useNewDeploymentFields(): UseFormReturn<NewDeploymentFields> {
  return useFormContext<NewDeploymentFields>();
}

function useCreate({ setError }: ReturnType<typeof useNamedForm>, renewKey: () => void) {
  const utils = trpc.useUtils();
  return trpc.deployments.create.useMutation({
    // The page that follows begins with the platform and the address of this deployment, not with those of another.
    onSuccess: (deployment) => utils.deployments.get.setData({ deploymentId: deployment.id }, deployment),
    onError: (error) => {
      // What was made with this key has been deleted since, before its files were under way.
      if (fieldErrors(error).idempotencyKey !== undefined) renewKey();
      if (!applyFieldErrors(error, ['name', 'connectionId', 'options'], setError))
        showToast(errorToast('Could not publish', error));
    },
  });
}

export type NewDeploymentFormProps = {
  /** `typed`: the folder suggests the name, and the person may write another; `folder`: only the folder names it. */
  namedBy: 'typed' | 'folder';
  /** True when a domain is asked for; otherwise one that was typed elsewhere is left alone. */
  takesDomain?: boolean;
  children: ReactNode;
};

/** Holds everything between a choice of files and the deployment that they become, for every screen that makes one. */
export function NewDeploymentForm({ namedBy, takesDomain = false, children }: NewDeploymentFormProps) {
  const chosen = useWaitingSelection();
  const form = useNamedForm(namedBy, takesDomain, chosen);
  const ranker = useRanking(chosen.report, form.watch('domain'));
  const plan = usePlanBlocker();
  const { ask, question } = useEntryQuestion(chosen);
  const { start } = useStartedDeployment();
  const keyFor = useIdempotencyKey();
  const { room, blockedBecause } = useBlockedReason(chosen, form);
  const [isPublishing, setPublishing] = useState(false);
  const mayCreate = blockedBecause === null && plan.allowance !== undefined && plan.blocker === null;

  const create = useCreate(form, keyFor.renew);
  const addDomain = trpc.domains.add.useMutation({
    onError: (error, { name }) => showToast(errorToast(`${name} was not added`, error)),
  });

  /** Creates the deployment, even if the page was left meanwhile. The mutation itself reports a failure. */
  async function createFor(report: SelectionReport, { domain, ...input }: NewDeploymentFields): Promise<void> {
    const wanted = { name: input.name, ...destinationOf(input) };
    const idempotencyKey = keyFor.wish(JSON.stringify(wanted));
    const deployment = await create.mutateAsync({ ...wanted, idempotencyKey }).catch(() => null);
    if (deployment === null) return;
    // This comes before anything is sent: from then on the server knows the whole request, and a reload loses none of
    // it.
    const isAdded =
      domain === '' || (await isDone(addDomain.mutateAsync({ deploymentId: deployment.id, name: domain })));
    if (takesDomain) forgetFormDraft(DOMAIN_DRAFT);
    await start(deployment, report, isAdded ? null : domain, () => {
      // Before this a reload leaves an empty deployment: the same name and key lead to it again.
      keyFor.renew();
      if (namedBy === 'typed') forgetFormDraft(NEW_DEPLOYMENT_DRAFT);
    });
  }
  const publish = form.handleSubmit((input) => {
    const { report } = chosen;
    const domain = domainsRefusal(input.platform) === null ? input.domain : '';
    if (!mayCreate || report === null) return;
    ask(() => {
      setPublishing(true);
      void createFor(report, { ...input, domain }).finally(() => setPublishing(false));
    });
  });

  return (
    <FormProvider {...form}>
      <Context value={{ chosen, blockedBecause, room, ranker, publish: () => publish(), isPublishing }}>
        {children}
        {question}
      </Context>
    </FormProvider>
  );
}

function isDone(act: Promise<unknown>): Promise<boolean> {
  return act.then(
    () => true,
    () => false,
  );
}

function useNamedForm(
  namedBy: 'typed' | 'folder',
  takesDomain: boolean,
  { selection }: ChosenSelection,
): UseFormReturn<NewDeploymentFields> {
  const [search] = useSearchParams();
  const platform = startingPlatform(search.get('platform'));
  const fromFolder = nameFromFolder(selection);
  const suggested = namedBy === 'folder' ? fromFolder || UNNAMED : fromFolder;
  const form = useForm<NewDeploymentFields>({
    resolver: useNewDeploymentRules(),
    defaultValues: {
      name: typedName(namedBy, fromFolder) ?? '',
      platform,
      options: optionsIn(platform, search),
      ...(takesDomain ? readFormDraft(DOMAIN_DRAFT, NO_DOMAIN) : NO_DOMAIN),
    },
  });
  useDomainDraft(takesDomain, form);
  const { setValue, clearErrors } = form;
  useEffect(() => {
    const suggest = () => {
      const field = document.activeElement;
      const isThere = field instanceof HTMLInputElement && field.name === 'name';
      // What is being typed is not taken away by another folder: from now on it is the name for that one.
      const isTyping = isThere && field.value === typedName(namedBy, '');
      const typed = isTyping ? field.value : typedName(namedBy, fromFolder);
      setValue('name', typed ?? suggested);
      clearErrors('name');
      if (!isThere) return;
      if (typed !== null) storeTypedName(typed, fromFolder);
      // And what is typed next takes the place of a suggestion.
      else if (field.value === suggested) field.select();
    };
    suggest();
    return onDraftsTaken(suggest);
  }, [namedBy, fromFolder, suggested, setValue, clearErrors]);
  return form;
}

const bySchema = standardSchemaResolver(newDeploymentFields);

/** Returns the rules of the fields, and the server's check of the domain: asked once for each name. */
function useNewDeploymentRules(): Resolver<NewDeploymentFields> {
  const { checkName } = trpc.useUtils().domains;
  return async (values, context, options) => {
    const checked = await bySchema(values, context, options);
    const name = domainsRefusal(values.platform) === null ? domainNameIn(values.domain) : null;
    if (name === null) return checked;
    // Without an answer nothing is known against it: a problem shows when the domain is added.
    const known = await checkName.fetch({ name }).catch(() => null);
    const problem = known?.problem ?? null;
    if (problem === null) return checked;
    return { values: {}, errors: { ...checked.errors, domain: { type: 'server', message: problem } } };
  };
}

/** Stores the typed domain for the browser session, like the name. */
function useDomainDraft(takesDomain: boolean, { subscribe, setValue }: UseFormReturn<NewDeploymentFields>): void {
  useEffect(() => {
    if (!takesDomain) return;
    const stopKeeping = subscribe({
      name: 'domain',
      formState: { values: true },
      callback: ({ values }) => storeDraft(DOMAIN_DRAFT, JSON.stringify({ domain: values.domain })),
    });
    const stopEmptying = onDraftsTaken(() => setValue('domain', ''));
    return () => {
      stopKeeping();
      stopEmptying();
    };
  }, [takesDomain, subscribe, setValue]);
}

/**
 * Returns the platform to begin with: the page of a platform leads here with its name in the address, and the settings
 * that were chosen there.
 */
function startingPlatform(asked: string | null): PlatformId {
  return HOSTING_PLATFORMS.find((id) => id === asked) ?? 'built-in';
}

const NO_NAME = { name: '', folder: '' };

/** Stores a typed name with the folder for which it was typed. */
export function storeTypedName(name: string, folder: string): void {
  storeDraft(NEW_DEPLOYMENT_DRAFT, JSON.stringify({ name, folder }));
}

/** Returns the name that was typed for this folder, or before there was one, any for ''; null when there is none. */
function typedName(namedBy: 'typed' | 'folder', folder: string): string | null {
  if (namedBy === 'folder' || tryStorage(() => sessionStorage.getItem(formDraftKey(NEW_DEPLOYMENT_DRAFT))) === null)
    return null;
  const typed = readFormDraft(NEW_DEPLOYMENT_DRAFT, NO_NAME);
  if (typed.folder === '' || folder === '') return typed.name || null;
  return typed.folder === folder ? typed.name : null;
}

const REQUEST_DRAFT = 'new-deployment-request';
const NO_REQUEST = { wish: '', key: '' };

/** Returns whether a deployment may have been made here whose files were never under way. */
export function isRequestOpen(): boolean {
  return readFormDraft(REQUEST_DRAFT, NO_REQUEST).key !== '';
}

/**
 * Returns the idempotency key of a request: pressing Publish twice makes one deployment, even after a reload that lost
 * the first answer; another name makes another.
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
): Pick<NewDeployment, 'room' | 'blockedBecause'> {
  const [platform, connectionId, options] = watch(['platform', 'connectionId', 'options']);
  const missing = useMissingChoice({ platform, connectionId, options });
  const room = useRoom(sizeOf(report));
  const reason = () => {
    if (selection === null) return 'Choose a folder or a ZIP first.';
    if (report === null) return 'The files are being read.';
    return refusalText(report) ?? limitRefusal(platform, report)?.message ?? roomRefusal(room, selection) ?? missing;
  };
  return { room, blockedBecause: reason() };
}
