// A gRPC server on loopback whose services are described by a client's own proto descriptors. It loads gRPC when first
// used, since most tests that import testkit need none of it.
import type { ServiceDefinition, UntypedHandleCall } from '@grpc/grpc-js';

/** The status codes that the fakes answer with; a subset of gRPC's. */
export const grpcStatus = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  OUT_OF_RANGE: 11,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;

/** An error that a method throws or answers with. */
export function statusError(code: number, details: string): Error & { code: number; details: string } {
  return Object.assign(new Error(details), { code, details });
}

export interface GrpcServer {
  /** host:port */
  endpoint: string;
  close(): void;
}

export async function startGrpcServer(options: {
  /** A protobufjs description with everything that the services mention. */
  protos: object;
  /** Full names. */
  services: string[];
  /** Handlers by method name; methods without one answer UNIMPLEMENTED. */
  methods: Record<string, UntypedHandleCall>;
}): Promise<GrpcServer> {
  const { Server, ServerCredentials } = await import('@grpc/grpc-js');
  const { fromJSON } = await import('@grpc/proto-loader');
  const server = new Server({ 'grpc.max_receive_message_length': 25_000_000 });
  const definition = fromJSON(options.protos, { longs: String });
  for (const service of options.services) {
    const description = definition[service] as ServiceDefinition;
    const handled = Object.keys(description).filter((name) => name in options.methods);
    server.addService(
      Object.fromEntries(handled.map((name) => [name, description[name]!])),
      Object.fromEntries(handled.map((name) => [name, options.methods[name]!])),
    );
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { endpoint: `127.0.0.1:${port}`, close: () => server.forceShutdown() };
}
