import { releaseFilesSchema } from '../../routers/schemas/releases.ts';
import { sessionFetch } from '../api/session.ts';
import { persistently, refusal } from './request.ts';

/** Reads which files a release has: their hashes and sizes, by path. */
export async function readFileList(
  releaseId: string,
  signal: AbortSignal,
): Promise<Map<string, { sha256: string; sizeBytes: number }>> {
  const answer = await read(`/api/releases/${releaseId}/files`, signal);
  const rows = releaseFilesSchema.parse(await answer.json());
  return new Map(rows.map(([path, sha256, sizeBytes]) => [path, { sha256, sizeBytes }]));
}

/** Reads one file of a release. */
export async function readFile(releaseId: string, sha256: string, signal: AbortSignal): Promise<Blob> {
  return (await read(`/api/releases/${releaseId}/files/${sha256}`, signal)).blob();
}

/** An account may read two at once: further ones wait for as long as the server asks. */
async function read(path: string, signal: AbortSignal): Promise<Response> {
  const response = await persistently({ fetch: sessionFetch, signal }, () => sessionFetch(path, { signal }));
  if (!response.ok) throw await refusal(response);
  return response;
}
