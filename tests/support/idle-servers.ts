/** At most this many servers wait for the next test, since one whose port nobody wants again would wait for good. */
const IDLE_MAX = 8;

export type IdleServers<Server extends AsyncDisposable> = {
  /**
   * Returns one that suits and was disposed of, or one that is started. When it is disposed of, `clear` has it forget what it
   * was told, and it stays for the next; one that does not is ended.
   */
  take(
    suits: (server: Server) => boolean,
    start: () => Promise<Server>,
    clear: (server: Server) => Promise<void>,
  ): Promise<Server>;
};

/** Servers that run on after their test, as long as the process of the tests does. */
export function createIdleServers<Server extends AsyncDisposable>(): IdleServers<Server> {
  const idle: Server[] = [];
  return {
    async take(suits, start, clear) {
      const at = idle.findIndex(suits);
      const server = at === -1 ? await start() : idle.splice(at, 1)[0];
      if (server === undefined) throw new Error('No server was started.');
      let isGivenBack = false;
      return {
        ...server,
        async [Symbol.asyncDispose]() {
          // Else it would wait for two, and serve both at once.
          if (isGivenBack) return;
          isGivenBack = true;
          const isClear = await clear(server).then(
            () => true,
            () => false,
          );
          if (isClear) idle.push(server);
          const ended = isClear ? idle.splice(0, idle.length - IDLE_MAX) : [server];
          await Promise.all(ended.map((one) => one[Symbol.asyncDispose]()));
        },
      };
    },
  };
}
