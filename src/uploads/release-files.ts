import { readReleaseFiles } from '../../routers/schemas/release-files.ts';
import { sessionFetch } from '../api/session/session.ts';
import { refusal, withRetries } from './request.ts';

/** Reads the list of a release's files: their hashes and sizes, by path. */
export function readFileList(
  releaseId: string,
  signal: AbortSignal,
): Promise<Map<string, { sha256: string; sizeBytes: number }>> {
  return inTurn(async () => {
    const answer = await read(`/api/releases/${releaseId}/files`, signal);
    const files = readReleaseFiles(await answer.json());
    return new Map(files.map(({ path, sha256, sizeBytes }) => [path, { sha256, sizeBytes }]));
  });
}

/** Reads one file of a release. */
export function readFile(releaseId: string, sha256: string, signal: AbortSignal): Promise<Blob> {
  return inTurn(async () => (await read(`/api/releases/${releaseId}/files/${sha256}`, signal)).blob());
}

const turns = { last: Promise.resolve<unknown>(undefined) };

/** One after the other: an account has two downloads at once, and one of them may be its ZIP. */
function inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const own = turns.last.then(work);
  turns.last = own.catch(() => undefined);
  return own;
}

async function read(path: string, signal: AbortSignal): Promise<Response> {
  const response = await withRetries({ fetch: sessionFetch, signal }, () => sessionFetch(path, { signal }));
  if (!response.ok) throw await refusal(response);
  return response;
}
