/** What is answered over HTTP. */
export interface Answer {
  status: number;
  body: string;
  headers: Iterable<readonly [string, string]>;
}
