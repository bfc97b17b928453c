import 'react';

declare module 'react' {
  interface InputHTMLAttributes<T> {
    /** Chooses a folder and not files; in every current browser, missing from React's types. */
    webkitdirectory?: '' | undefined;
  }
}
