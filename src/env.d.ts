import 'react';

declare global {
  /** The one production host whose API is function-hosted, named at build time; empty for none (vite.config.ts). */
  const __FUNCTION_API_HOST__: string;

  type TrustedTypeRules = { createHTML(markup: string): string; createScriptURL(url: string): string };

  interface Window {
    /** Not every browser has it yet (W3C Trusted Types). */
    trustedTypes?: { createPolicy(name: string, rules: TrustedTypeRules): unknown };
  }
}
