/** The name of the running service, as `/health` reports it. Every provider can inject it. */
export class ServiceName {
  constructor(readonly value: string) {}
}
