/** What a service that waits is told first. The second message is that its turn has come. */
export interface StandbyOptions {
  /** URLs of the sources that the service had, and of the files of packages that these asked for. */
  loaded: string[];
  /** URL of the module that runs sources. */
  sourceHooks: string;
  /** Where the debugger listens, from the turn of the process on. */
  debuggerPort: number;
}
