// What fuzz and load know of a platform: addresses, tokens, the database that they read, and the log files.
import type { ServiceName } from './service-names.js';

export interface Target {
  /** Base address of each service, without a slash at the end. A service without one is left out. */
  urls: Partial<Record<ServiceName, string>>;
  /** Base address of the metrics of each service; without it, nothing is said of its event loop and memory. */
  metricsUrls: Partial<Record<ServiceName, string>>;
  /**
   * Process ids of services on this machine that collect their garbage on SIGUSR2, as those of `npm start` do. What a
   * service without one keeps in memory is not compared.
   */
  processIds?: Partial<Record<ServiceName, number>>;
  /** Absent: row counts are not compared. */
  databaseUrl?: string;
  /** Folder with a file `<service>.log` for each service. Absent: logs are not searched. */
  logsDir?: string;
  tokens: {
    /** API key of the data API. */
    apiKey: string;
    /** JWT of the direct login. */
    jwt: string;
    /** Access token of an ADMIN for the data API's resource. Absent: its REST addresses refuse every request. */
    data?: string;
    /** Token with which services call identity. Absent: their address refuses every request. */
    service?: string;
    /** Secrets of the webhooks that ask for one. */
    webhooks: Partial<Record<ServiceName, string>>;
  };
  /** Absent: the forms of the account and login pages are sent by nobody who is signed in. */
  browsers?: Browsers;
}

/** Where a browser is: its cookies, and what the hidden fields of the page have. */
export interface PageForms {
  cookie: string;
  csrf: string;
  /** Of the credentials, in the form of a new password. */
  version: string;
}

export interface Browsers {
  /** Stays signed in. */
  account: PageForms;
  /** Each ends with its first good form. */
  signsOut: PageForms;
  signsOutEverywhere: PageForms;
  /** At a login that nobody finishes. */
  login: PageForms & { uid: string };
}
