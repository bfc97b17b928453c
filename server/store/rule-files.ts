import { RULE_FILES, type RuleFile } from '../../routers/rules/hosting/rule-file.ts';
import type { Manifest } from './manifest.ts';
import type { ArtifactStore } from './store.ts';

/** A file of rules is never read beyond this; the parser stops before (routers/rules/hosting/rule-file.ts). */
const READ_MAX_BYTES = 1024 * 1024;

/** Returns the texts of `_redirects` and `_headers`, if a release has them. Throws `artifact_corrupted`. */
export async function readRuleFiles(store: ArtifactStore, manifest: Manifest): Promise<Map<RuleFile, string>> {
  const texts = new Map<RuleFile, string>();
  for (const name of RULE_FILES) {
    const file = manifest.get(name);
    if (file === undefined) continue;
    const artifact = await store.open(file.sha256);
    try {
      const bytes = await artifact.read(0, Math.min(artifact.sizeBytes, READ_MAX_BYTES));
      texts.set(name, bytes.toString('utf8'));
    } finally {
      await artifact.close();
    }
  }
  return texts;
}
