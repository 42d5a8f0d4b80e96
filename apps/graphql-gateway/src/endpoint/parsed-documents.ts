// The valid documents that Apollo Server keeps, so that a repeated one is neither parsed nor validated. Its own store
// counts JSON, which has a quarter of the size. 30 MB of it, at each of two endpoints, took 200 MB of memory.
import type { ApolloServerOptions, BaseContext } from '@apollo/server';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/**
 * Characters of all documents together: 400 of usual length. A character takes 20 to 130 bytes when it is parsed, so
 * an endpoint keeps 25 MB at most.
 */
export const keptCharactersMax = 200_000;

type DocumentStore = NonNullable<ApolloServerOptions<BaseContext>['documentStore']>;

/** A store for one endpoint. */
export function parsedDocuments(): DocumentStore {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: keptCharactersMax,
    sizeCalculation: (document) => document.loc?.source.body.length ?? keptCharactersMax,
  });
  return {
    get: async (hash) => documents.get(hash),
    set: async (hash, document) => void documents.set(hash, document),
    delete: async (hash) => documents.delete(hash),
  };
}
